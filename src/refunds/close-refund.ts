import { recordAct } from '../audit-log/record-act.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { violatedConstraint } from '../platform/postgres/failures.ts'
import { isIndependentApprover } from '../values/independent-approver.ts'
import { type Trigger, transitionRefunds } from './move-refund.ts'
import type { RefundRow } from './refund.ts'
import * as store from './store.ts'

export type CloseRefundResult =
  | { kind: 'closed'; refund: RefundRow }
  | {
      kind: 'refused'
      code: 'resource_not_found' | 'not_by_hand' | 'already_closed' | 'same_person' | 'reference_used'
    }

/** How a person ended a refund by hand: with what proves it, or why nothing was given back. */
export type Closing =
  | { kind: 'paid'; hand_reference: string; closed_by: string }
  | { kind: 'given_up'; reason: string; closed_by: string }

/**
 * Closes a refund that a person makes by hand: paid, which refunds the payment and tells the merchant, or given up,
 * which gives the merchant its money back. The person who asked for it cannot close it. Refusals, in order of precedence: no
 * such refund, one that its operator carries out, one that is closed, the same person, a reference that proves another refund.
 */
export async function closeRefund(
  { sql, clock }: { sql: Sql; clock: Clock },
  refund_id: string,
  closing: Closing,
): Promise<CloseRefundResult> {
  const refund = await store.findRefund(sql, refund_id)
  if (refund === null) return { kind: 'refused', code: 'resource_not_found' }
  if (!refund.by_hand) return { kind: 'refused', code: 'not_by_hand' }
  if (refund.status !== 'manual') return { kind: 'refused', code: 'already_closed' }
  if (!isIndependentApprover(refund.requested_by, closing.closed_by)) return { kind: 'refused', code: 'same_person' }
  try {
    const [moved] = await sql.begin(async (tx) => {
      const closed = await transitionRefunds(tx, [triggerOf(refund, closing)], clock)
      for (const { status } of closed) recordClosing(tx, refund, closing, status)
      return closed
    })
    // Somebody closed it since we looked.
    return moved === undefined ? { kind: 'refused', code: 'already_closed' } : { kind: 'closed', refund: moved }
  } catch (error) {
    if (!violatedConstraint(error)?.startsWith('refunds_hand_reference')) throw error
    return { kind: 'refused', code: 'reference_used' }
  }
}

function recordClosing(tx: Tx, refund: RefundRow, closing: Closing, status: RefundRow['status']): void {
  const act = closing.kind === 'paid' ? 'refund.paid' : 'refund.cancel'
  const reference = closing.kind === 'paid' ? { hand_reference: closing.hand_reference } : {}
  const change = { before: { status: refund.status }, after: { status, amount: refund.amount, ...reference } }
  recordAct(tx, refund, { actor: closing.closed_by, act, subject: refund.id, ...change })
}

function triggerOf({ merchant_id, livemode, id: refund_id }: RefundRow, closing: Closing): Trigger {
  const about = { merchant_id, livemode, refund_id, closed_by: closing.closed_by }
  return closing.kind === 'paid'
    ? { ...about, trigger: 'paid_by_hand', hand_reference: closing.hand_reference }
    : { ...about, trigger: 'given_up', closing_reason: closing.reason, failure_code: 'cancelled' }
}
