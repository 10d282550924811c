import { defineAct, merchant } from '../acts/act.ts'
import { francs, merchantFact, sumField } from '../acts/facts.ts'
import { lockMerchant } from '../merchants/store.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Tenant } from '../values/caller.ts'
import * as store from './store.ts'

const writeMinimum = defineEffect<Tenant & { readonly minimum: number }>('settlement minimum', async (tx, changes) => {
  for (const { minimum, ...tenant } of changes) await store.writeFloor(tx, tenant, minimum)
})

/** Sets a merchant's own smallest settlement in one mode, in francs. It applies from the next request on. */
export const setMinimum = defineAct({
  name: 'settlement.set_minimum',
  summary: "Set a merchant's own smallest settlement in francs",
  title: ['Changer le plus petit reversement', 'Change the smallest settlement'],
  right: 'merchants.manage',
  fresh: true,
  on: merchant,
  fields: { minimum: sumField(['Nouveau seuil, F CFA', 'New floor, F CFA'], { option: { name: 'amount' } }) },
  async load(tx, { tenant }, { usualTerms }: { usualTerms: { readonly settlement_min: number } }) {
    if ((await lockMerchant(tx, tenant.merchant_id)) === null) return null
    const [own] = await store.readFloors(tx, [tenant])
    return { about: tenant, minimum: own?.minimum ?? null, in_force: own?.minimum ?? usualTerms.settlement_min }
  },
  facts: {
    amount: francs(['Reversement au moins', 'Settlement at least']),
    merchant: merchantFact,
    today: francs(['Aujourd’hui', 'Today']),
  },
  content: ({ in_force: today }, { minimum: amount }) => ({ amount, today }),
  decide({ tenant, values: { minimum } }, before) {
    const change = { before: { minimum: before.minimum }, after: { minimum } }
    return { kind: 'accepted', effects: [writeMinimum({ ...tenant, minimum })], result: { minimum }, ...change }
  },
  refusals: {},
})
