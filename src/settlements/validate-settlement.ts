import { defineAct } from '../acts/act.ts'
import { isMerchantActive } from '../merchants/store.ts'
import { move, moveRefusals, moving } from './move-settlement.ts'

const common = moving('validated')

/**
 * Validates a settlement, as the first of two people. No money moves; another person makes the transfer. Refusals, in order of precedence:
 * one that does not wait for validation, the maker or an API key, a deactivated merchant (the settlement goes on waiting).
 */
export const validateSettlement = defineAct({
  ...common,
  name: 'settlement.validate',
  summary: 'Validate a settlement, as the first of two people',
  title: ['Valider ce reversement', 'Validate this settlement'],
  right: 'settlements.validate',
  fields: {},
  async load(tx, call) {
    const has = await common.load(tx, call)
    return has && { ...has, merchant_active: await isMerchantActive(tx, has.about.merchant_id) }
  },
  note: () => ['Vous validez. Une autre personne paiera.', 'You validate. Another person will pay.'],
  decide: (call, has, now) => move(call, has, { trigger: 'validated', merchant_active: has.merchant_active }, now),
  refusals: moveRefusals,
})
