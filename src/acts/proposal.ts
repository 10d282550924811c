import type { Proposed } from './decision.ts'

/** The acts that wait so: those of live mode that may, and those about external accounts and the check of a merchant, which always do. */
export type ProposedAct =
  | 'balance.deposit'
  | 'refund.create'
  | 'connector.set'
  | 'route.set'
  | 'external_account.open'
  | 'reconcile.type'
  | 'reconcile.withdraw'
  | 'reconcile.propose'
  | 'merchant_check.propose'

/** An act that one person asked for, and the decision of the second. */
export type ActProposal<Typed = object> = Proposed & {
  readonly act: ProposedAct
  /** The payment or the connector. Null: the merchant itself. */
  readonly subject: string | null
  /** The name under which the act is done once. Null: none. */
  readonly key: string | null
  /** In francs. Null: the act moves no money. */
  readonly amount: number | null
  /** The values that the first person typed, and the content that they read. */
  readonly typed: Typed
  readonly content: Readonly<Record<string, unknown>>
  readonly status: 'proposed' | 'approved' | 'refused' | 'withdrawn' | 'lapsed'
  readonly proposed_at: Date
  /** Settings with their secrets, sealed. Null: the act has none, or is decided. */
  readonly sealed: Uint8Array | null
  /** The id of what the approval made. Null until then. */
  readonly outcome: string | null
  /** Why the second person refused. Null: they did not, or gave no reason. */
  readonly refusal_reason: string | null
}

/** The answer of an act that waits for its second person. */
export type Waits = { readonly status: 'proposed'; readonly proposal_id: string; readonly amount: number | null }

export const waitsFor = ({ id, amount }: Pick<ActProposal, 'id' | 'amount'>): Waits => ({
  status: 'proposed',
  proposal_id: id,
  amount,
})
