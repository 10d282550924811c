import type { RefusalWords } from '../acts/act.ts'
import type { Effect } from '../platform/commands/effects.ts'
import { normalizePerson } from '../values/independent-approver.ts'
import { type RefundRequest, transitionRequest } from './refund-request.ts'

export const requestGone = {
  words: [
    'Le marchand a retiré sa demande, ou elle est déjà décidée. Rien n’est rendu.',
    'The merchant withdrew the request, or it is decided already. Nothing was refunded.',
  ],
  command: 'The request was withdrawn or decided meanwhile.',
} as const satisfies RefusalWords

export const requestWaits = {
  words: [
    'Le marchand attend une réponse : décidez d’abord sur sa demande, dans « Remboursements demandés ». Rien n’est rendu.',
    'The merchant waits for an answer: decide on the request first, under “Refunds asked for”. Nothing was refunded.',
  ],
  command:
    'The merchant asks for a refund of this payment. Accept it with --request {id}, or refuse it on the desk first.',
} as const satisfies RefusalWords

/** Whether the merchant waits for a decision that a refund would not be: it would leave the request open, for a second refund or a wrong refusal. */
export function leavesWaiting(waiting: RefundRequest | null, named: string | null): waiting is RefundRequest {
  return waiting !== null && waiting.id !== named
}

/**
 * Accepts the merchant's request with the refund that it led to. Null: it no longer waits, is of another payment, or its decider asked for it.
 * @param named the request that the refund names. Null: none, and there is nothing to accept
 */
export function acceptRequest(
  request: RefundRequest | null,
  named: string | null,
  { by, payment_id, refund_id, now }: { by: string; payment_id: string; refund_id: string; now: Date },
): readonly Effect[] | null {
  if (named === null) return []
  if (request === null || request.payment_id !== payment_id) return null
  if (normalizePerson(request.asked_by) === normalizePerson(by)) return null
  return transitionRequest(request, { trigger: 'refunded', decided_by: by, refund_id }, now)?.effects ?? null
}
