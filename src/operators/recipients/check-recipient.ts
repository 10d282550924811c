import { createHmac } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { type Tenant, tenantOf } from '../../values/caller.ts'
import type { Msisdn } from '../../values/msisdn.ts'
import type { NameMatch } from '../port.ts'
import type { Registry } from '../routing/registry.ts'
import { countCheck } from './check-store.ts'

/** Hours, from the first check, in which one merchant's checks of one number are counted together. */
export const WINDOW_HOURS = 24
const DEADLINE_MS = 8_000
/** The most checks at once with one connector in this process, so that most of its connections stay free for money. */
const TOGETHER_MAX = 16

/** A possible beneficiary, as a merchant names them. `operator` is null when the number implies none, `name` when none was given. */
export type NamedRecipient = { operator: string | null; msisdn: Msisdn; name: string | null }

/**
 * Asks whether a name is that of a number's holder, through the connector that would carry a payout to it. Moves no
 * money, stores only the number of checks, and never throws for an operator's fault. Other results than a match:
 * - `unknown`: the operator cannot tell, is unavailable or did not answer in time; or the operator or the name is null.
 * - `too_often`: this merchant has had the number checked too often, and the operator was not asked.
 * @param aside runs the call to the operator, for a caller that frees its slot meanwhile
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
  /** The key of the hash under which numbers are counted. */
  key: Buffer
  /** The most checks of one number by one merchant in 24 hours. Without this limit a name could be guessed by trying. */
  per_number: number
  /** Milliseconds for one check, including the wait for its turn. Eight seconds when absent. */
  deadline_ms?: number
}

/** Creates the one function with which every process checks recipients. */
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
          // The error is not logged, because it may contain the operator's words.
          log.error({ connector: connector.name }, 'operators: check of a recipient failed, answered unknown')
          return 'unknown'
        } finally {
          end()
        }
      }, deadline_ms),
    )
  }
}

/** The result of the check, or `unknown` when the deadline passes first. */
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

/** Runs at most `most` calls at once. Further ones wait, and take their turns in order of arrival. */
function createTurns(most: number) {
  let underWay = 0
  const waiting: (() => void)[] = []
  function end(): void {
    const next = waiting.shift()
    if (next === undefined) underWay -= 1
    else next()
  }
  return {
    /** Resolves when the caller's turn begins, with the function that ends it. */
    async begin(): Promise<() => void> {
      if (underWay < most) underWay += 1
      else await new Promise<void>((resolve) => void waiting.push(resolve))
      return end
    },
  }
}
