import type { MerchantSettings } from '../merchants/fees.ts'
import type { Actor } from '../values/actor.ts'
import { type MoveDependencies, moveSettlement, type SettlementMoved } from './move-settlement.ts'
import * as store from './store.ts'

type Dependencies = MoveDependencies & {
  settings: (merchant_id: number) => Pick<MerchantSettings, 'active'> | Promise<Pick<MerchantSettings, 'active'>>
}

/**
 * Says that a settlement may be paid: the first of two people. No money moves; the transfer is made by another person.
 * Refusals in their order: a person without a name, no such settlement, not waiting for validation, an API key, a
 * deactivated merchant (it goes on waiting).
 * @param by the person, such as an address of mail
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
