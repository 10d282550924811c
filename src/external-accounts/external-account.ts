/** The kinds of accounts that others keep for the service: at an operator, at a bank, and at a bank for money of clients alone. */
export const accountKinds = ['wallet', 'bank', 'safeguarding'] as const
export type AccountKind = (typeof accountKinds)[number]

/** The directions of orders that a wallet can take. */
export const walletDirections = ['collect', 'payout', 'refund'] as const
export type WalletDirection = (typeof walletDirections)[number]

/** The bank account of deposits and settlements that name no other. Every installation has it in both modes. */
export const BANK = 'bank'

/** The row of an account that others keep for the service. */
export type ExternalAccount = {
  readonly livemode: boolean
  readonly code: string
  readonly kind: AccountKind
  readonly connector: string | null
  /** Empty: the orders that no other wallet of its connector names. */
  readonly directions: readonly WalletDirection[]
  /** An order that began earlier belongs to the connector's other wallet. */
  readonly orders_from: Date
  /** The last four characters of its number, or null. */
  readonly number_end: string | null
  readonly profile: string | null
  readonly due: 'daily' | 'business'
  /** Days, of the calendar or of business as `due` says, after which a movement that no statement shows is late. */
  readonly late_days: number
  /** The day as text. */
  readonly opened_on: string
  readonly created_by: string
  readonly created_at: Date
}

/** A new account. `number`: null when nobody told it. */
export type NewExternalAccount = Omit<ExternalAccount, 'number_end' | 'opened_on' | 'created_at' | 'orders_from'> & {
  readonly number: { readonly sealed: Uint8Array; readonly end: string } | null
}

/** The days after which a movement is late, when the account says nothing else. */
export const usualLateDays: Readonly<Record<AccountKind, number>> = { wallet: 1, bank: 3, safeguarding: 3 }

/** The account as commands and screens show it. Its number stays sealed. */
export function viewAccount(row: Omit<ExternalAccount, 'orders_from' | 'number_end' | 'created_by' | 'created_at'>) {
  const { code: account, kind, livemode, connector, directions, profile, due, late_days, opened_on } = row
  const mode = livemode ? ('live' as const) : ('test' as const)
  return { account, kind, mode, connector, directions, profile, due, late_days, opened_on }
}
