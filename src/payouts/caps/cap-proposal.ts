import type { Tenant } from '../../values/caller.ts'

/**
 * The caps of a merchant. `operation` (one payout) and `day` (all payouts within 24 hours) apply to one mode. `payment`
 * (one payment) applies to both modes and is changed in live mode only, so that nobody raises it for real money from a
 * screen marked "test".
 */
export type CapName = 'operation' | 'day' | 'payment'

/** The caps that can be changed in a mode. */
export function capNamesIn(livemode: boolean): readonly CapName[] {
  return livemode ? ['operation', 'day', 'payment'] : ['operation', 'day']
}

/**
 * A proposal for a higher cap, waiting for the staff or decided. `amount` in francs. `superseded`: the cap changed while the proposal
 * waited, and `decided_by` is the person who changed it. A confirmation would undo that change.
 */
export type CapProposal = Tenant & {
  id: string
  cap: CapName
  amount: number
  reason: string
  status: 'proposed' | 'approved' | 'refused' | 'superseded' | 'lapsed'
  proposed_by: string
  proposed_at: Date
  decided_by: string | null
  decided_at: Date | null
  /** Shown to the merchant. Null unless the proposal was refused. */
  refusal_reason: string | null
}
