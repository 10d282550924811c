import { type ActCall, defineAct, merchantInBothModes } from '../acts/act.ts'
import { merchantFact, oneOf } from '../acts/facts.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import * as store from './store.ts'

type Call = ActCall<typeof merchantInBothModes, object>
type Has = { readonly about: { merchant_id: number; livemode: null }; readonly active: boolean }

const writeActive = defineEffect<{ readonly merchant_id: number; readonly active: boolean }>(
  'merchant',
  async (tx, changes) => {
    for (const { merchant_id, active } of changes) await store.updateActive(tx, merchant_id, active)
  },
)

const common = {
  right: 'merchants.manage',
  fresh: true,
  on: merchantInBothModes,
  fields: {},
  async load(tx: Tx, { merchant_id }: Call): Promise<Has | null> {
    const locked = await store.lockMerchant(tx, merchant_id)
    return locked && { about: { merchant_id, livemode: null }, active: locked.active }
  },
  facts: {
    merchant: merchantFact,
    active: oneOf(['Ensuite', 'Then'], {
      yes: [
        'Il encaisse et envoie de nouveau, en réel et en test.',
        'It collects and pays out again, in real and test mode.',
      ],
      no: [
        'Il lit ses comptes, mais n’encaisse et n’envoie plus rien, en réel et en test. Ce qui est parti se termine.',
        'It reads its accounts, and neither collects nor pays out any more, in real and test mode. Operations that have left will end.',
      ],
    }),
  },
  refusals: {},
} as const

/** Lets a merchant operate. It takes effect within a second everywhere. */
export const activateMerchant = defineAct({
  ...common,
  name: 'merchant.activate',
  summary: 'Let a merchant operate',
  title: ['Réactiver ce marchand', 'Activate this merchant'],
  content: () => ({ active: 'yes' }),
  decide: ({ merchant_id }, before) => decide(merchant_id, before, true),
})

/** Lets a merchant only read. It takes effect within a second everywhere. */
export const deactivateMerchant = defineAct({
  ...common,
  name: 'merchant.deactivate',
  summary: 'Let a merchant only read',
  title: ['Suspendre ce marchand', 'Suspend this merchant'],
  content: () => ({ active: 'no' }),
  decide: ({ merchant_id }, before) => decide(merchant_id, before, false),
})

function decide(merchant_id: number, { active: before }: Has, active: boolean) {
  const result = { merchant_id, active }
  if (before === active) return { kind: 'unchanged', result } as const
  const effects = [writeActive(result)]
  return { kind: 'accepted', effects, result, before: { active: before }, after: { active } } as const
}
