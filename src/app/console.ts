import type { ScreenDoor, ScreenRequest } from '../console/screen.ts'
import type { ConsoleFrame } from '../console/serve-screens.ts'
import { createAskToSignIn } from '../console/sign-in/ask-to-sign-in.ts'
import type { Silences } from '../operators/doubts/doubt-store.ts'
import { silencesOf } from '../operators/doubts/find-doubts.ts'
import { readSession } from '../people/sessions/read-session.ts'
import type { Clock } from '../platform/clock.ts'
import { type Config, derivedKey } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { countApprovals } from '../screens/approvals/waiting.ts'
import { countCases } from '../screens/desk/find-cases.ts'
import type { Secret } from '../values/secret.ts'
import type { PublicOrigin } from './public-origin.ts'
import { screens } from './screens.ts'
import { createStepUps } from './step-ups.ts'

type Dependencies = {
  sql: Sql
  config: Config
  secretKey: Secret
  origin: PublicOrigin
  clock: Clock
  log: Log
}

/** The console and the desk, wired: the ground of their screens. */
export function createConsole({ sql, config, secretKey, origin, clock, log }: Dependencies): ConsoleFrame {
  const originOf = (_door: ScreenDoor) => origin.get()
  const brand = config.brand.name
  return {
    brand,
    originOf,
    readSession: (token) => readSession({ sql, clock }, token),
    stepUps: createStepUps({ sql, clock, secretKey, brand, origin: () => origin.get() }),
    counts: (request) => countForMenu({ sql, silences: silencesOf(config) }, request),
    nonce_key: derivedKey(secretKey, 'console nonces'),
    log,
    screens,
    askToSignIn: createAskToSignIn({ brand, originOf, key: derivedKey(secretKey, 'console forms kept') }),
  }
}

/** The counts beside places of the menu: what waits for this person here. */
async function countForMenu(
  { sql, silences }: { sql: Sql; silences: Silences },
  request: ScreenRequest<ScreenDoor>,
): Promise<Readonly<Record<string, number>>> {
  if (request.can('cases.read')) return countCases({ sql, silences }, request.livemode)
  if (!('tenant' in request) || !request.can('payouts.approve')) return {}
  const { tenant, actor } = request as ScreenRequest<'console'>
  const { count } = await countApprovals(sql, tenant, actor.person)
  return { approvals: count }
}
