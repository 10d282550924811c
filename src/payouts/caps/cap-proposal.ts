import type { Tenant } from '../../values/caller.ts'

/** The caps of a merchant in one mode: of one payout, and of all payouts within 24 hours. */
export type CapName = 'operation' | 'day'
export const capNames = ['operation', 'day'] as const satisfies readonly CapName[]

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
