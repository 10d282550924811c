import { operatorCodes } from '../values/operators.ts'

/**
 * The ledger account of the money that an operator holds for us. A test payment without an operator uses the
 * simulator's account.
 */
export function operatorAccount(operator: string | null): string {
  return `operator:${operator ?? 'simulator'}`
}

/**
 * The account of the charges that operators took, which the service bears. It is opened with the first charge, because
 * most test-mode contracts have no charges.
 */
export const CHARGES = 'operator_charges'

/**
 * The accounts that every merchant has in each mode. They are created with the merchant, because a row that does not
 * exist cannot be locked.
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

/**
 * Accounts that hold what the service owes the merchant. The ledger refuses any debit that would bring one below zero.
 */
export const guardedAccounts: ReadonlySet<string> = new Set([
  'available',
  'transfer',
  'payouts_in_flight',
  'settlements_in_flight',
])
