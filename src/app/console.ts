import type { ConsoleFrame } from '../console/console-frame.ts'
import type { ScreenDoor, ScreenRequest } from '../console/screen.ts'
import type { Silences } from '../operators/doubts/doubt-store.ts'
import { silencesOf } from '../operators/doubts/find-doubts.ts'
import { type FactorDeps, factorKey } from '../people/factors/factor-deps.ts'
import { siteOf } from '../people/factors/passkey.ts'
import { findWaitingRoles } from '../people/find-waiting-roles.ts'
import { readSession } from '../people/sessions/read-session.ts'
import { findOpenVisit } from '../people/visits/find-visits.ts'
import type { Clock } from '../platform/clock.ts'
import { type Config, derivedKey } from '../platform/config.ts'
import type { Egress } from '../platform/egress/post.ts'
import { createTurns } from '../platform/http/turns.ts'
import type { Limits } from '../platform/limits/windows.ts'
import type { Log } from '../platform/log.ts'
import type { OwnerLocks } from '../platform/owner-locks.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { countApprovals } from '../screens/approvals/waiting.ts'
import { countCases } from '../screens/desk/find-cases.ts'
import type { Secret } from '../values/secret.ts'
import { type PublicOrigin, signInOrigin } from './public-origin.ts'
import { createPush } from './push.ts'
import { screens } from './screens.ts'

type Dependencies = {
  sql: Sql
  config: Config
  secretKey: Secret
  origin: PublicOrigin
  clock: Clock
  limits: Limits
  log: Log
  locks: OwnerLocks
  egress: Egress
}

/**
 * Console pages rendered at once in a process. One merchant may use two of the three, so that one remains for others.
 */
const PAGES_AT_ONCE = 3
/** Most waiting pages of one merchant or of the staff. `PAGE_WAIT_MS`: how long a page waits, in milliseconds. */
const PAGES_WAITING_MAX = 100
const PAGE_WAIT_MS = 10_000

/** Wires the console and the desk: the dependencies that all their screens share. */
export function createConsole({
  sql,
  config,
  secretKey,
  origin,
  clock,
  limits,
  log,
  locks,
  egress,
}: Dependencies): ConsoleFrame {
  const brand = config.brand.name
  const { sign_ins_per_address } = config
  const originOf = (door: ScreenDoor) => signInOrigin(config, door === 'desk', origin.get())
  const key = factorKey(secretKey)
  const factorsAt = (door: ScreenDoor): FactorDeps => ({
    sql,
    clock,
    limits,
    log,
    key,
    site: siteOf(originOf(door), brand),
    sign_ins_per_address,
    mails: config.mail !== null,
  })
  return {
    brand,
    originOf,
    sql,
    clock,
    readSession: (token, seen) => readSession({ sql, clock }, token, 'console', seen),
    readVisit: (person, merchant_id) => findOpenVisit(sql, person, merchant_id),
    counts: (request) => countForMenu({ sql, silences: silencesOf(config) }, request),
    turns: createTurns({
      alone_max: PAGES_AT_ONCE,
      waiting_max: PAGES_WAITING_MAX,
      wait_max_ms: PAGE_WAIT_MS,
      locks,
    }),
    factorsAt,
    nonce_key: derivedKey(secretKey, 'console nonces'),
    kept_key: derivedKey(secretKey, 'console forms kept'),
    log,
    mail: config.mail !== null,
    proposal_days: config.proposal_days,
    push: createPush({ sql, secretKey, egress }),
    screens,
  }
}

/** The counts beside the menu's entries: the work that waits for this person. */
async function countForMenu(
  { sql, silences }: { sql: Sql; silences: Silences },
  request: ScreenRequest<ScreenDoor>,
): Promise<Readonly<Record<string, number>>> {
  if (request.can('desk.read')) {
    const counts = request.can('cases.read') ? await countCases({ sql, silences }, request.livemode) : { cases: 0 }
    const roles = request.can('people.manage') ? await findWaitingRoles(sql, request.actor.person) : []
    return { ...counts, cases: counts.cases + roles.length }
  }
  if (!request.can('payouts.approve')) return {}
  const { tenant, actor } = request as ScreenRequest<'console'>
  const { count } = await countApprovals(sql, tenant, actor.person)
  return { approvals: count }
}
