import { isWithin, row } from '../../acts/act.ts'
import { addressesFact, contentOf, keyFacts } from '../../api-keys/key-facts.ts'
import { findKey, lockKey } from '../../api-keys/store.ts'
import { keyWaits } from './approve-alone.ts'
import { defineSolo } from './solo-acts.ts'

/** The only person of a merchant confirms a payout key of their own, a day ahead, or stops that. */
export const soloKey = defineSolo({
  noun: 'key',
  right: 'keys.confirm',
  on: row('any', 'key', { option: 'key-id', place: 'named' }),
  title: ['Confirmer seul cette clé ?', 'Confirm this key alone?'],
  async find(tx, { id, within: { merchant_id, livemode } }) {
    if (merchant_id === undefined || livemode === undefined) return null
    const found = await findKey(tx, id, { merchant_id, livemode })
    return found !== null && isWithin(found, { merchant_id, livemode }) ? found : null
  },
  waits: keyWaits,
  read: async (tx, { subject_id, ...tenant }) => lockKey(tx, (await findKey(tx, subject_id, tenant))!),
  facts: { ...keyFacts, addresses: addressesFact },
  content: (key) => ({ ...contentOf(key), addresses: key.allowed_addresses }),
})
