import type { Scope } from '../../values/caller.ts'

/**
 * The subject of a command, read from the database, so that the person who agrees sees more than the options: the amount, its recipient
 * and the merchant. The proof is bound to these facts. Amounts in francs; of a number or an account only the end. Empty: the command
 * has no subject, or there is no such subject.
 */
export type ActFacts = {
  readonly amount?: number
  /** Payments of a batch. */
  readonly lines?: number
  readonly recipient?: { readonly name: string | null; readonly operator: string | null; readonly number_end: string }
  /** Of a settlement: how its destination stands in the book today. Absent: designated still. */
  readonly destination_today?: 'no_longer_designated' | 'archived'
  readonly merchant?: string
  readonly merchant_id?: number
  readonly livemode?: boolean
  /** Of the payment to refund: its amount, and what is refunded of it or on its way. */
  readonly paid?: number
  readonly given?: number
  /** An adjustment: whether more is owed to the merchant or less, and the account on the other side. */
  readonly direction?: 'credit' | 'debit'
  readonly against?: string
  /** The person whose roles or factors change, by their address. */
  readonly person?: string
  /** The person who stopped the payouts that are to be sent again. */
  readonly stopped_by?: string
  /** The proposal of how to close an anomaly. */
  readonly proposal_id?: string
  readonly resolution?: string
  /** The cap that changes, and its amount today. */
  readonly cap?: 'operation' | 'day' | 'payment'
  readonly cap_today?: number
  /** The money that an API key moves. */
  readonly scope?: Scope
  readonly reason?: string
  /** The person, or `key:…` of the API, whose request it is. */
  readonly requested_by?: string
}
