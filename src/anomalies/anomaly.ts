import { UNMATCHED_MERCHANT_ID } from '../operators/doubts/anomalies.ts'
import type { AnomalyRow } from '../operators/doubts/anomaly-store.ts'
import type { Evidence } from '../operators/port.ts'
import type { Tenant } from '../values/caller.ts'
import { maskNumbersIn } from '../values/msisdn.ts'

/** How an anomaly can be closed. */
export const resolutions = [
  'as_proven',
  'as_refused',
  'credit_available',
  'debit_available',
  'returned_by_hand',
  'nothing',
] as const
export type Resolution = (typeof resolutions)[number]

/** The row of a proposal by which one person would close an anomaly, with the decision of another. */
export type ProposalRow = Tenant & {
  id: string
  anomaly_id: string
  resolution: Resolution
  /** Francs that the operator moved, or by which the balance is adjusted. */
  amount: number | null
  /** The merchant to credit, where the anomaly has no merchant. */
  of_merchant_id: number | null
  reason: string
  status: 'proposed' | 'approved' | 'refused' | 'lapsed'
  proposed_by: string
  decided_by: string | null
  adjustment_id: string | null
  proposed_at: Date
  decided_at: Date | null
}

/** An anomaly as staff see it. Connectors mask phone numbers in the evidence; they are masked here once more. */
export function viewAnomaly(row: AnomalyRow) {
  return {
    id: row.id,
    object: 'anomaly' as const,
    kind: row.kind,
    subject_id: row.subject_id,
    fact: row.fact,
    operator: row.operator,
    evidence: maskNumbersIn(row.evidence) as Evidence,
    merchant_id: row.merchant_id === UNMATCHED_MERCHANT_ID ? null : row.merchant_id,
    livemode: row.livemode,
    opened_at: row.opened_at.toISOString(),
    closed_at: row.closed_at?.toISOString() ?? null,
  }
}

/** A proposal as staff see it. */
export function viewProposal(row: ProposalRow) {
  return {
    id: row.id,
    resolution: row.resolution,
    status: row.status,
    amount: row.amount,
    of_merchant_id: row.of_merchant_id,
    reason: row.reason,
    proposed_by: row.proposed_by,
    decided_by: row.decided_by,
    adjustment_id: row.adjustment_id,
    proposed_at: row.proposed_at.toISOString(),
    decided_at: row.decided_at?.toISOString() ?? null,
  }
}
