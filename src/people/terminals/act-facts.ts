import type { Scope } from '../../values/caller.ts'

/**
 * The facts about the subject of a command, from the database, so that the person who approves sees more than the options: the amount, its
 * recipient and the merchant. The proof is bound to these facts. Amounts are in francs. A number or an account shows only its end. Empty:
 * the command has no subject, or the subject does not exist.
 */
export type ActFacts = {
  readonly amount?: number
  /** The number of payouts of a batch. */
  readonly lines?: number
  readonly recipient?: { readonly name: string | null; readonly operator: string | null; readonly number_end: string }
  readonly merchant?: string
  readonly merchant_id?: number
  readonly livemode?: boolean
  /** Of a payment to refund: its amount, and the part that is refunded or being refunded. */
  readonly paid?: number
  readonly given?: number
  /** Of an adjustment: whether it credits or debits the merchant, and the contra account. */
  readonly direction?: 'credit' | 'debit'
  readonly against?: string
  /** The e-mail address of the person whose roles or factors change. */
  readonly person?: string
  /** The person who stopped the payouts that are to be resumed. */
  readonly stopped_by?: string
  /** The proposed resolution of an anomaly. */
  readonly proposal_id?: string
  readonly resolution?: string
  /** The cap to change, and its present amount. */
  readonly cap?: 'operation' | 'day' | 'payment'
  readonly cap_today?: number
  /** The money that an API key moves. */
  readonly scope?: Scope
  readonly reason?: string
  /** The maker of the request: a person, or `key:…` of the API. */
  readonly requested_by?: string
}
