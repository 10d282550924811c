import type { Tenant } from '../values/caller.ts'
import type { FailureCode } from '../values/failure-codes.ts'
import type { RefundParts } from './divide-refund.ts'

/** In the order in which a refund reaches them. `states.ts` has the transitions. */
export const refundStatuses = ['requested', 'processing', 'manual', 'succeeded', 'failed'] as const
export type RefundStatus = (typeof refundStatuses)[number]

/** The row of a refund, which returns money of a payment to its payer. Amounts in francs. */
export type RefundRow = Tenant &
  RefundParts & {
    id: string
    payment_id: string
    currency: 'XOF'
    status: RefundStatus
    operator: string | null
    /** The external account that the money left. Null: a refund of an earlier version that has ended. */
    wallet: string | null
    /** A person makes the refund by hand: the operator cannot, or a person chose so. */
    by_hand: boolean
    reason: string | null
    /** Idempotency key of the command that made the refund. */
    request_key: string
    /** The amount that the command requested. Null: all that was left. */
    asked_amount: number | null
    requested_by: string
    closed_by: string | null
    /** The proof of the transfer of a refund by hand. */
    hand_reference: string | null
    closing_reason: string | null
    failure_code: FailureCode | null
    created_at: Date
    concluded_at: Date | null
  }

/** A refund as staff see it, without the payer's number. */
export function viewRefund(row: RefundRow) {
  return {
    id: row.id,
    object: 'refund' as const,
    payment_id: row.payment_id,
    status: row.status,
    amount: row.amount,
    amount_returned: row.amount_returned,
    fee_amount: row.fee_amount,
    net_amount: row.net_amount,
    currency: row.currency,
    operator: row.operator,
    by_hand: row.by_hand,
    reason: row.reason,
    requested_by: row.requested_by,
    closed_by: row.closed_by,
    hand_reference: row.hand_reference,
    closing_reason: row.closing_reason,
    failure_code: row.failure_code,
    merchant_id: row.merchant_id,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
    concluded_at: row.concluded_at?.toISOString() ?? null,
  }
}

export type RefundView = ReturnType<typeof viewRefund>
