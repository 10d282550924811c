import { operatorCodes } from '../values/operators.ts'

/** Where our money with an operator stands in the books. The simulator's is used when a test names no operator. */
export function operatorAccount(operator: string | null): string {
  return `operator:${operator ?? 'simulator'}`
}

/** The charges that operators took, which the service bears. Opened with the first charge, because most contracts in test mode have none. */
export const CHARGES = 'operator_charges'

/**
 * The accounts every merchant has from its first day, in each mode. They are created with the merchant, because a row
 * that does not exist cannot be locked.
 */
export const accountsOfMerchant: readonly string[] = [
  'available',
  'transfer',
  'payouts_in_flight',
  'settlements_in_flight',
  'fees',
  'bank',
  ...operatorCodes.map(operatorAccount),
  operatorAccount(null),
]

/** Accounts that hold what the service owes the merchant: a debit that would bring one below zero is impossible. */
export const guardedAccounts: ReadonlySet<string> = new Set([
  'available',
  'transfer',
  'payouts_in_flight',
  'settlements_in_flight',
])
