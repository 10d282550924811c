import type { Instruction } from '../instruction.ts'

const MINUTE = 60
const HOUR = 3_600

/**
 * Seconds after the first send from which each repetition may leave while the operator answers no send at all. Without them an order used
 * up its sends within minutes of an outage, and then waited for people although the operator is back. There are as many as the database
 * allows (`check_send`), all within the day for which we trust Wave to remember a key.
 */
const IN_SILENCE = [0, MINUTE, 5 * MINUTE, 30 * MINUTE, ...[1, 2, 3, 4, 6, 8, 12, 16, 20].map((hours) => hours * HOUR)]

/** The repetitions that leave as soon as the promise allows while the operator answers. A collection has no others: its payer has long left. */
const AT_ONCE = 4

/** An order that may have left and that its operator does not hold. `last_sent`: milliseconds from its first send to its last one. */
export type Repeated = Pick<Instruction, 'direction' | 'sent_again' | 'sent_ms_ago'> & { readonly last_sent: number }

/**
 * Whether an order that its operator does not hold, and never executes twice, leaves again now, later, or not without people. After the first
 * repetitions it goes on only if those were spread over half an hour of an outage: an operator that takes an order again and again, and then
 * does not hold it, needs a person. In an outage some operators answer now and then, so that an order may be ahead of its steps.
 * @param answers whether the operator answered the last send of this process, of any order
 */
export function repetitionOf(
  { direction, sent_again, sent_ms_ago, last_sent }: Repeated,
  answers: boolean,
): 'now' | 'later' | 'never' {
  const isSpread = sent_again < AT_ONCE || last_sent >= IN_SILENCE[AT_ONCE - 1]! * 1_000
  if (sent_again >= repetitionsMax(direction) || !isSpread) return 'never'
  return answers || (sent_ms_ago ?? 0) >= IN_SILENCE[sent_again]! * 1_000 ? 'now' : 'later'
}

/** The most repetitions of an order that may have left. */
export function repetitionsMax(direction: Instruction['direction']): number {
  return direction === 'collect' ? AT_ONCE : IN_SILENCE.length
}
