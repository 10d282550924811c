import { BANK } from '../external-accounts/external-account.ts'

const HELD = 'held:'

/** The ledger account of the money that is in an external account, by its code. */
export function heldIn(code: string): string {
  return `${HELD}${code}`
}

/** The code of the external account that a ledger account is about. Null: it is about none. */
export function heldCode(account: string): string | null {
  return account.startsWith(HELD) ? account.slice(HELD.length) : null
}

/**
 * The account of the charges that operators took, which the service bears. It is opened with the first charge, because
 * most test-mode contracts have no charges.
 */
export const CHARGES = 'operator_charges'

/**
 * The accounts that every merchant has in each mode. They are created with the merchant, because a row that does not
 * exist cannot be locked. The account of a wallet is opened with the first order in it.
 */
export const accountsOfMerchant: readonly string[] = [
  'available',
  'transfer',
  'payouts_in_flight',
  'settlements_in_flight',
  'fees',
  heldIn(BANK),
]

/** The number of the house in the ledger: the service's own accounts, of no merchant. */
export const HOUSE = 0

/**
 * The accounts of the house, beside its held money. `unassigned`: it arrived, and nobody knows for whom; never below zero. `disputed`: it left, and somebody
 * has to give it back; never above zero. `in_transit`: it left one external account and has not arrived in the other.
 */
export const accountsOfHouse = ['unassigned', 'disputed', 'in_transit', 'own_funds', 'bank_charges', 'losses'] as const

/**
 * Accounts that hold what the service owes the merchant. The ledger refuses any debit that would bring one below zero.
 */
export const guardedAccounts: ReadonlySet<string> = new Set([
  'available',
  'transfer',
  'payouts_in_flight',
  'settlements_in_flight',
  'unassigned',
])
