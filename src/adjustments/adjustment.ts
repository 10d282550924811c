import { heldCode } from '../ledger/accounts.ts'
import type { Tenant } from '../values/caller.ts'

/** The row of a correction of a merchant's available balance. Amount in francs. */
export type AdjustmentRow = Tenant & {
  id: string
  /** `credit`: we owe the merchant more; `debit`: less. */
  direction: 'credit' | 'debit'
  amount: number
  /** The ledger account on the other side. */
  counterpart: string
  reason: string
  /** The anomaly that the adjustment closes, if any. */
  anomaly_id: string | null
  status: 'proposed' | 'approved' | 'refused' | 'lapsed'
  proposed_by: string
  decided_by: string | null
  proposed_at: Date
  decided_at: Date | null
}

/** The other side as people name it: the code of an external account, `fees`, or the operator of an adjustment from before external accounts. */
export function againstOf(counterpart: string): string {
  return heldCode(counterpart) ?? counterpart.replace('operator:', '')
}

/** An adjustment as staff see it. */
export function viewAdjustment(row: AdjustmentRow) {
  return {
    id: row.id,
    object: 'adjustment' as const,
    status: row.status,
    direction: row.direction,
    amount: row.amount,
    against: againstOf(row.counterpart),
    reason: row.reason,
    anomaly_id: row.anomaly_id,
    proposed_by: row.proposed_by,
    decided_by: row.decided_by,
    merchant_id: row.merchant_id,
    livemode: row.livemode,
    proposed_at: row.proposed_at.toISOString(),
    decided_at: row.decided_at?.toISOString() ?? null,
  }
}

export type AdjustmentView = ReturnType<typeof viewAdjustment>
