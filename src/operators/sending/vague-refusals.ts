import type { FailureCode } from '../../values/failure-codes.ts'
import type { Instruction } from '../instruction.ts'
import type { ReadOutcome, SendOutcome } from '../port.ts'

type Refusal = Extract<SendOutcome | ReadOutcome, { kind: 'refused' }>

/** Milliseconds between a vague refusal and the question whether it still holds. */
const SECOND_ANSWER_AFTER = 10_000

/**
 * Whether a refusal gives no reason that rules out an execution. Operators say `FAILED` without a reason about orders that
 * they execute a moment later.
 */
export function isVague(failure_code: FailureCode): boolean {
  return failure_code === 'operator_refused'
}

/**
 * Whether a refusal is about an order that the operator had accepted. A refusal in the answer to a send is not: the
 * operator took nothing, unless it has shown before, or shows in this answer, that it holds the order.
 * @param attempt the send that the refusal answers; null when it is about the reference
 */
export function isOfAcceptedOrder({ state }: Instruction, { held }: Refusal, attempt: number | null): boolean {
  return attempt === null || state === 'sent' || held === true
}

/**
 * Milliseconds until the operator has to be asked whether a refusal still holds; null when it counts now. A vague one
 * counts when the operator says it a second time, some time after the first. Any other counts at once, and so does one of a payer's code: an
 * operator takes a code once, and the payer waits in front of the page.
 */
export function untilItCounts(
  { vague_ms_ago }: Instruction,
  { failure_code, of_code }: Refusal,
  secondAnswerAfter = SECOND_ANSWER_AFTER,
): number | null {
  if (!isVague(failure_code) || of_code === true) return null
  if (vague_ms_ago == null) return secondAnswerAfter
  return vague_ms_ago < secondAnswerAfter ? secondAnswerAfter - vague_ms_ago : null
}
