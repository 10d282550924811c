import type { Connector, Order } from '../port.ts'

/** The late looks at a refused order. */
export type Looks = {
  /** When to look, in milliseconds after the refusal, ascending. Empty: never. */
  readonly after: readonly number[]
  /** Whether a look made us ask, and neither a callback nor a person. */
  readonly isLook: boolean
}

export const noLooks: Looks = { after: [], isLook: false }

/** Milliseconds after a look without an answer until the next try. */
const TRY_AGAIN = 3_600_000
/** Milliseconds after the last look within which a look without an answer is tried again. */
const TRIES_FOR = 86_400_000

/** The looks of the setting that a direction takes: a collection the second and the fourth, since no money of ours has left. */
export function looksOf<Look>(looks: readonly Look[], direction: Order['direction']): Look[] {
  return direction === 'collect' ? looks.filter((_, at) => at === 1 || at === 3) : [...looks]
}

/**
 * Creates the function that gives the looks at an order, in milliseconds after its refusal: none when nobody can be asked,
 * or when the connector refuses its direction for good.
 * @param seconds the setting `LATE_LOOKS_SECONDS`
 */
export function createLooksAt(seconds: readonly number[]) {
  const of = (direction: Order['direction']) => looksOf(seconds, direction).map((one) => one * 1_000)
  const plans = { collect: of('collect'), payout: of('payout'), refund: of('refund') }
  return (direction: Order['direction'], connector: Pick<Connector, 'refusesForGood'> | null): readonly number[] =>
    connector === null || connector.refusesForGood?.includes(direction) === true ? noLooks.after : plans[direction]
}

/**
 * Milliseconds until the next look, null after the last one. Looks whose time passed while the service stood still are
 * made up for by one.
 * @param isUnanswered whether the operator did not answer the last look: then the next one comes within the hour, until a
 *   day after the last of the plan
 */
export function untilNextLook(ended_ms_ago: number, after: readonly number[], isUnanswered = false): number | null {
  const planned = after.find((one) => one > ended_ms_ago)
  const last = after.at(-1)
  if (last === undefined) return null
  const next = planned === undefined ? null : planned - ended_ms_ago
  if (!isUnanswered || ended_ms_ago > last + TRIES_FOR) return next
  return Math.min(TRY_AGAIN, next ?? TRY_AGAIN)
}
