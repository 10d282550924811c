import type { ReadSettings } from '../merchants/fees.ts'
import type { Actor } from '../values/actor.ts'
import { type MoveDependencies, moveSettlement, type SettlementMoved } from './move-settlement.ts'
import * as store from './store.ts'

type Dependencies = MoveDependencies & {
  settings: ReadSettings
}

/**
 * Validates a settlement, as the first of two people. No money moves; another person makes the transfer. Refusals, in order of precedence:
 * a person without a name, an unknown settlement, one that does not wait for validation, the maker or an API key, a deactivated merchant
 * (the settlement goes on waiting).
 * @param by the person who validates
 */
export async function validateSettlement(
  deps: Dependencies,
  settlement_id: string,
  by: Actor,
): Promise<SettlementMoved> {
  const found = await store.findSettlement(deps.sql, settlement_id)
  if (found === null) return { kind: 'refused', code: 'resource_not_found' }
  const { active: merchant_active } = await deps.settings(found.merchant_id)
  const wanted = { trigger: 'validated', by, merchant_active } as const
  return moveSettlement(deps, settlement_id, wanted)
}
