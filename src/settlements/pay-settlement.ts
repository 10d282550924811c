import type { Actor } from '../values/actor.ts'
import { bankReferenceIn } from '../values/bank-reference.ts'
import { type MoveDependencies, moveSettlement, type SettlementMoved } from './move-settlement.ts'
import type { BankDays } from './settlement.ts'

export type SettlementPaid = SettlementMoved | { kind: 'refused'; code: 'invalid_bank_reference' }

/**
 * Enters the transfer that paid a settlement: the second of two people, who is not the one who validated it. The reference
 * is the bank's name of the transfer; one transfer pays one settlement of a merchant, however the reference is written.
 * Refusals in their order: no reference of 1 to 140 printable characters, a person without a name, no such settlement, not
 * validated or paid already, the person who validated it or an API key, a reference that paid another one.
 * @param bank_days kept with the reference; absent: it was not entered from a bank's file
 */
export async function paySettlement(
  deps: MoveDependencies,
  settlement_id: string,
  by: Actor,
  bank_reference: string,
  bank_days?: BankDays,
): Promise<SettlementPaid> {
  const reference = bankReferenceIn(bank_reference)
  if (reference === null) return { kind: 'refused', code: 'invalid_bank_reference' }
  const wanted = { trigger: 'transfer_made', by, merchant_active: true, bank_reference: reference } as const
  return moveSettlement(deps, settlement_id, bank_days === undefined ? wanted : { ...wanted, bank_days })
}
