import type { Actor } from '../values/actor.ts'
import { type MoveDependencies, moveSettlement, type SettlementMoved } from './move-settlement.ts'

export type SettlementRejected = SettlementMoved | { kind: 'refused'; code: 'invalid_reason' }

/**
 * Says that a settlement will not be paid, validated or not: the amount is available to the merchant again. Anybody of
 * the team may, also who validated it: nothing leaves.
 * Refusals in their order: a reason of no or more than 500 printable characters, a person without a name, no such
 * settlement, paid or rejected already, an API key.
 * @param reason told to the merchant; null: none
 */
export async function rejectSettlement(
  deps: MoveDependencies,
  settlement_id: string,
  by: Actor,
  reason: string | null,
): Promise<SettlementRejected> {
  const rejection_reason = reason === null ? null : reason.trim()
  if (rejection_reason !== null && !/^[^\p{Cc}\p{Cs}]{1,500}$/u.test(rejection_reason)) {
    return { kind: 'refused', code: 'invalid_reason' }
  }
  const wanted = { trigger: 'rejected', by, merchant_active: true, rejection_reason } as const
  return moveSettlement(deps, settlement_id, wanted)
}
