import { createHmac } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { type Tenant, tenantOf } from '../../values/caller.ts'
import type { Msisdn } from '../../values/msisdn.ts'
import type { NameMatch } from '../port.ts'
import type { Registry } from '../routing/registry.ts'
import { countCheck } from './check-store.ts'

/** Hours in which the checks of one number by one merchant are counted, from the first of them. */
export const WINDOW_HOURS = 24
const DEADLINE_MS = 8_000
/** Checks under way at once with one connector, in this process: most of its connections stay free for money. */
const TOGETHER_MAX = 16

/** Somebody who may be paid, as a merchant names them. Null: no operator follows from the number, or no name was given. */
export type NamedRecipient = { operator: string | null; msisdn: Msisdn; name: string | null }

/**
 * Says whether a name is that of a number's holder, by the operator through which a payout there would go. `unknown`: that one cannot tell, is
 * away, did not answer in time, or there is none. `too_often`: this merchant has had the number checked too often lately, and nobody was asked.
 * Moves nothing, keeps nothing but the count, and never throws for what an operator does.
 * @param aside runs the call to the operator, for a caller that gives up its place meanwhile
 */
export type CheckRecipient = (
  of: Tenant,
  recipient: NamedRecipient,
  aside?: <Result>(call: () => Promise<Result>) => Promise<Result>,
) => Promise<NameMatch | 'too_often'>

type Dependencies = {
  sql: Db
  registry: Pick<Registry, 'connectorFor' | 'admits'>
  clock: Clock
  log: Log
  /** Hides the numbers that are counted. */
  key: Buffer
  /** Checks of one number by one merchant in 24 hours at most: beyond it a name could be found by trying. */
  per_number: number
  /** Milliseconds for one check, the wait for its turn included; absent: eight seconds. */
  deadline_ms?: number
}

/** Makes the one way in which recipients are checked, in whichever process. */
export function createCheckRecipient(deps: Dependencies): CheckRecipient {
  const { sql, registry, clock, log, key, per_number, deadline_ms = DEADLINE_MS } = deps
  const turns = new Map<string, ReturnType<typeof createTurns>>()
  const turnsOf = (connector: string) => {
    const known = turns.get(connector) ?? createTurns(TOGETHER_MAX)
    turns.set(connector, known)
    return known
  }

  return async (of, { operator, msisdn, name }, aside = (call) => call()) => {
    if (operator === null || name === null) return 'unknown'
    const tenant = tenantOf(of)
    const connector = registry.connectorFor({ ...tenant, operator, direction: 'payout', msisdn: msisdn.e164 })
    if (connector?.checkRecipient === undefined || !registry.admits(connector, '')) return 'unknown'
    const number_hash = createHmac('sha256', key).update(msisdn.e164).digest()
    const now = clock.now()
    const since = new Date(now.getTime() - WINDOW_HOURS * 3_600_000)
    if (!(await countCheck(sql, { ...tenant, number_hash }, { most: per_number, now, since }))) return 'too_often'
    return aside(() =>
      inTime(async (isLate) => {
        const end = await turnsOf(connector.name).begin()
        try {
          return isLate() ? 'unknown' : await connector.checkRecipient!({ operator, msisdn, name })
        } catch {
          // The error itself may hold what an operator said: it is not repeated.
          log.error({ connector: connector.name }, 'operators: check of a recipient failed, answered unknown')
          return 'unknown'
        } finally {
          end()
        }
      }, deadline_ms),
    )
  }
}

/** The word, or `unknown` when it has not come within the deadline. */
async function inTime(check: (isLate: () => boolean) => Promise<NameMatch>, deadline_ms: number): Promise<NameMatch> {
  let late = false
  const { promise, resolve } = Promise.withResolvers<NameMatch>()
  const timer = setTimeout(() => {
    late = true
    resolve('unknown')
  }, deadline_ms)
  try {
    return await Promise.race([check(() => late), promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Lets so many at once go on, and the others when one of them has ended, in their order. */
function createTurns(most: number) {
  let underWay = 0
  const waiting: (() => void)[] = []
  function end(): void {
    const next = waiting.shift()
    if (next === undefined) underWay -= 1
    else next()
  }
  return {
    /** Resolves when it is this one's turn, with what ends the turn. */
    async begin(): Promise<() => void> {
      if (underWay < most) underWay += 1
      else await new Promise<void>((resolve) => void waiting.push(resolve))
      return end
    },
  }
}
