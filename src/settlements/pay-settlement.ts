import type { Actor } from '../values/actor.ts'
import { bankReferenceIn } from '../values/bank-reference.ts'
import { type MoveDependencies, moveSettlement, type SettlementMoved } from './move-settlement.ts'
import type { BankDays } from './settlement.ts'

export type SettlementPaid = SettlementMoved | { kind: 'refused'; code: 'invalid_bank_reference' }

/**
 * Enters the bank's transfer that paid a settlement. This is the second of two people, and not the validator. A bank reference pays one
 * settlement of a merchant; spelling variants of it are the same reference. Refusals, in order of precedence: no reference of 1 to 140
 * printable characters, a person without a name, an unknown settlement, one that is not validated or is paid already, the validator, the
 * maker or an API key, a reference that paid another settlement.
 * @param bank_days stored with the reference; absent: the transfer does not come from a bank's file
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
