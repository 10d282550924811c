import { defineAct, isWithin, refuse, row } from '../../acts/act.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import { tenantOf } from '../../values/caller.ts'
import { endPhones, findPhone, lockPhone } from './till-store.ts'

const endOne = defineEffect('till phone', endPhones)

/** Ends a telephone of a till, or its invitation. Its next call is refused. */
export const endPhone = defineAct({
  name: 'till.end',
  summary: 'End a telephone of a till, or its invitation: it sees nothing from then on',
  title: ['Arrêter ce téléphone ?', 'End this phone?'],
  right: 'team.manage',
  fresh: false,
  on: row('tph', 'telephone of a till'),
  fields: {},
  async load(tx, { id, within }) {
    const key = await findPhone(tx, id)
    if (key === null || !isWithin(key, within)) return null
    return { about: tenantOf(key), key, phone: (await lockPhone(tx, key))! }
  },
  facts: {},
  content: () => ({}),
  decide({ id, by }, { key, phone }, now) {
    if (phone.ended_at !== null) return refuse('already_ended')
    const { link_id } = phone
    return {
      kind: 'accepted',
      effects: [endOne({ ...tenantOf(key), phone_id: id, ended_by: by.person, ended_at: now })],
      result: { phone_id: id, link_id },
      before: { link_id, paired_at: phone.paired_at },
      after: { ended: true },
    }
  },
  unknown: 'There is no telephone {id}.',
  refusals: {
    already_ended: {
      words: ['Ce téléphone est déjà arrêté.', 'This phone is ended already.'],
      command: '{id} is ended already.',
    },
  },
})
