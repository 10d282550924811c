import type { Evidence, NextAction, ReadOutcome, SendOutcome } from '../port.ts'

/** We gave up an instruction before sending it. It counts only while nothing was sent, and no operator said it. */
export type ExpiredUnsent = { kind: 'expired_unsent'; evidence: Evidence }

/** An operator's answer to a send or to an inquiry, or our own expiry. */
export type Answer = SendOutcome | ReadOutcome | ExpiredUnsent

/** The facts of an answer to store beside its outcome. */
type Kept = { operator_reference?: string; operator_state?: Evidence; next_action?: NextAction }

/**
 * A short text for the fact that an answer states, or an empty one. An anomaly is opened once for each fact, however
 * often an operator repeats it.
 */
export function factOf(answer: Answer): string {
  const unlisted = unlistedIn(answer)
  if (unlisted !== null) return unlisted
  if (answer.kind === 'settled') return `${answer.amount} ${answer.currency}`
  return answer.kind === 'refused' ? answer.failure_code : ''
}

/** A word of the operator that its connector does not know, or that is too vague there. Null when there is none. */
export function unlistedIn(answer: Answer): string | null {
  return 'unlisted' in answer ? (answer.unlisted ?? null) : null
}

/** The word of a connector that holds an order, after the order has left it for another one. */
export function heldBefore(kind: string, connector: string): string {
  return `${kind} at ${connector}, which carried it before`
}

/** The facts to store that an answer carries beside its outcome. */
export function keptOf(outcome: Answer): Kept {
  if (!('operator_state' in outcome || 'operator_reference' in outcome || 'next_action' in outcome)) return {}
  const { operator_reference, operator_state, next_action } = outcome
  return {
    ...(operator_reference === undefined ? {} : { operator_reference }),
    ...(operator_state === undefined ? {} : { operator_state }),
    ...(next_action === undefined ? {} : { next_action }),
  }
}
