import { defineAct, refuse, row } from '../acts/act.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Tenant } from '../values/caller.ts'
import { beneficiaryIdIn } from './beneficiary.ts'
import type { CoolingDeps } from './decide-destination.ts'
import { markStopped, readLastConfirmed } from './proposal-store.ts'
import * as store from './store.ts'

type Stop = { readonly tenant: Tenant; readonly change: string | null; readonly by: string }

/** Clears the designation and marks the change, if one was confirmed by people: older designations have none. */
const writeStop = defineEffect<Stop>('beneficiary', async (tx, stops) => {
  for (const { tenant, change, by } of stops) {
    await store.clearDesignations(tx, { ...tenant, id: null })
    if (change !== null) await markStopped(tx, { ...tenant, id: change }, by)
  }
})

/**
 * Removes the designation of a destination during its cooling-off. One person is enough, because stopping a change moves no money. No
 * destination is designated then, until two people designate one, even the former.
 *
 * Refused when the destination is not designated, or its cooling-off is over.
 */
export const stopDesignation = defineAct({
  name: 'destination.stop',
  summary: 'Stop a change of destination that still cools',
  title: ['Arrêter ce changement', 'Stop this change'],
  right: 'destination.confirm',
  // One tap: it moves no money, and the person who sees a thief may have little time.
  fresh: false,
  on: row('uuid', 'destination', { option: 'destination' }),
  fields: {},
  async load(tx, { id: typed, within: { merchant_id, livemode } }, { settlementRules }: CoolingDeps) {
    const id = beneficiaryIdIn(typed)
    if (id === null || merchant_id === undefined || livemode === undefined) return null
    const about = { merchant_id, livemode }
    await store.lockDestinations(tx, about)
    if ((await store.readBeneficiary(tx, { ...about, id })) === null) return null
    const current = await store.readDesignated(tx, about, settlementRules.destination_cooling_hours)
    const designated = current?.id === id && !current.has_cooled ? current : null
    return { about, designated, change: await readLastConfirmed(tx, about, id) }
  },
  facts: {},
  content: () => ({}),
  decide({ by }, { about, designated, change }) {
    if (designated === null) {
      // A repeated submission is the same act.
      return change?.stopped_by === by.person ? { kind: 'unchanged', result: null } : refuse('not_cooling')
    }
    const { id, designated_at } = designated
    const stop = writeStop({ tenant: about, change: change?.id ?? null, by: by.person })
    return { kind: 'accepted', effects: [stop], result: null, before: { id, designated_at } }
  },
  refusals: {
    not_cooling: [
      'Ce changement n’est plus en attente. Rien n’est arrêté.',
      'This change no longer waits. Nothing was stopped.',
    ],
  },
})
