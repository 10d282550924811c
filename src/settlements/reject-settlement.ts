import type { Actor } from '../values/actor.ts'
import { type MoveDependencies, moveSettlement, type SettlementMoved } from './move-settlement.ts'

export type SettlementRejected = SettlementMoved | { kind: 'refused'; code: 'invalid_reason' }

/**
 * Rejects a settlement, validated or not: its amount returns to the merchant's available balance. The validator may do it as well, because
 * no money leaves. Once a person has taken the whole account, the transfer may be ordered: then the money would be paid and returned. So
 * the rejecting person states that no transfer followed. Refusals, in order of precedence: a reason of no or more than 500 printable
 * characters, a person without a name, an unknown settlement, one that is paid or rejected already, the maker or an API key, a taken
 * account without this statement.
 * @param reason the merchant sees it; null: none
 * @param no_transfer_since the `account_taken_at` after which no transfer was made; null: no statement
 */
export async function rejectSettlement(
  deps: MoveDependencies,
  settlement_id: string,
  by: Actor,
  reason: string | null,
  no_transfer_since: Date | null = null,
): Promise<SettlementRejected> {
  const rejection_reason = reason === null ? null : reason.trim()
  if (rejection_reason !== null && !/^[^\p{Cc}\p{Cs}]{1,500}$/u.test(rejection_reason)) {
    return { kind: 'refused', code: 'invalid_reason' }
  }
  const wanted = { trigger: 'rejected', by, merchant_active: true, rejection_reason, no_transfer_since } as const
  return moveSettlement(deps, settlement_id, wanted)
}
