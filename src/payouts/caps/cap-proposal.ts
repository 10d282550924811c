import type { Tenant } from '../../values/caller.ts'

/**
 * The caps of a merchant: of one payout and of all payouts within 24 hours, in one mode; and of one payment, which holds in both modes and is
 * changed in live mode alone, so that nobody raises it for real money under the word "test".
 */
export type CapName = 'operation' | 'day' | 'payment'

/** The caps that are changed in a mode. */
export function capNamesIn(livemode: boolean): readonly CapName[] {
  return livemode ? ['operation', 'day', 'payment'] : ['operation', 'day']
}

/** A higher cap that waits for the team, or its decision. Amount in francs. */
export type CapProposal = Tenant & {
  id: string
  cap: CapName
  amount: number
  reason: string
  status: 'proposed' | 'approved' | 'refused'
  proposed_by: string
  proposed_at: Date
  decided_by: string | null
  decided_at: Date | null
  /** Told to the merchant; null unless it is refused. */
  refusal_reason: string | null
}
