import { recordAct } from '../audit-log/record-act.ts'
import { maySecond } from '../people/second-person.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects } from '../platform/commands/effects.ts'
import type { Transitioned } from '../platform/commands/transitions.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { violatedConstraint } from '../platform/postgres/failures.ts'
import type { Actor } from '../values/actor.ts'
import { tenantOf } from '../values/caller.ts'
import { isIndependentApprover } from '../values/independent-approver.ts'
import { type Trigger, transitionRefund } from './move-refund.ts'
import type { RefundRow } from './refund.ts'
import * as store from './store.ts'

export type CloseRefundResult =
  | { kind: 'closed'; refund: RefundRow }
  | {
      kind: 'refused'
      code: 'resource_not_found' | 'not_by_hand' | 'already_closed' | 'same_person' | 'reference_used'
    }

/** The end that a person gives a refund by hand: the proof of the transfer, or the reason why no money was returned. */
export type Closing =
  | { kind: 'paid'; hand_reference: string; closed_by: Actor }
  | { kind: 'given_up'; reason: string; closed_by: Actor }

/**
 * Closes a refund by hand. A refund that was paid is noted on its payment, and the merchant is notified. A refund that is given up
 * returns the amount to the merchant's balance. The person who requested the refund cannot close it, nor whoever let them in within 90 days. Refusals, in order of
 * precedence: no such refund, a refund that its operator carries out, a closed refund, the same person, a proof that another
 * refund has already.
 */
export async function closeRefund(
  { sql, clock }: { sql: Sql; clock: Clock },
  refund_id: string,
  closing: Closing,
): Promise<CloseRefundResult> {
  const found = await store.findRefund(sql, refund_id)
  if (found === null) return { kind: 'refused', code: 'resource_not_found' }
  try {
    return await sql.begin(async (tx): Promise<CloseRefundResult> => {
      const [refund] = await store.lockRefunds(tx, [{ ...tenantOf(found), refund_id }])
      const now = clock.now()
      const isSecond = await maySecond(tx, [refund!.requested_by], closing.closed_by.person)
      const decision = decideClosing(refund!, closing, now, isSecond)
      if (decision.kind === 'refused') return decision
      await applyEffects(tx, decision.effects, now)
      const { transition_count: _, ...closed } = decision.row
      recordClosing(tx, refund!, closing, closed.status)
      return { kind: 'closed', refund: closed }
    })
  } catch (error) {
    if (!violatedConstraint(error)?.startsWith('refunds_hand_reference')) throw error
    return { kind: 'refused', code: 'reference_used' }
  }
}

/** Decides whether a person may close a locked refund in this way, and returns the effects. Refusals in the order of `closeRefund`. Pure. @param isSecond false: they let the requester in within 90 days */
export function decideClosing(
  refund: store.LockedRefund,
  closing: Closing,
  now: Date,
  isSecond = true,
):
  | ({ kind: 'closed' } & Transitioned<store.LockedRefund>)
  | { kind: 'refused'; code: 'not_by_hand' | 'already_closed' | 'same_person' } {
  if (!refund.by_hand) return { kind: 'refused', code: 'not_by_hand' }
  const moved = transitionRefund(refund, triggerOf(closing), now)
  if (moved === null) return { kind: 'refused', code: 'already_closed' }
  if (!isSecond || !isIndependentApprover(refund.requested_by, closing.closed_by.person))
    return { kind: 'refused', code: 'same_person' }
  return { kind: 'closed', ...moved }
}

function recordClosing(tx: Tx, refund: RefundRow, closing: Closing, status: RefundRow['status']): void {
  const act = closing.kind === 'paid' ? 'refund.paid' : 'refund.cancel'
  const reference = closing.kind === 'paid' ? { hand_reference: closing.hand_reference } : {}
  const change = { before: { status: refund.status }, after: { status, amount: refund.amount, ...reference } }
  recordAct(tx, refund, { actor: closing.closed_by, act, subject: refund.id, ...change })
}

function triggerOf(closing: Closing): Trigger {
  const closed_by = closing.closed_by.person
  return closing.kind === 'paid'
    ? { trigger: 'paid_by_hand', closed_by, hand_reference: closing.hand_reference }
    : { trigger: 'given_up', closed_by, closing_reason: closing.reason, failure_code: 'cancelled' }
}
