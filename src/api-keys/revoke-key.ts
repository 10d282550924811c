import { defineAct, row } from '../acts/act.ts'
import { tenantOf } from '../values/caller.ts'
import { contentOf, keyFacts } from './key-facts.ts'
import { transitionKey } from './move-key.ts'
import * as store from './store.ts'

/** Revokes a key for ever. Every process refuses it within a second. A second revocation changes nothing. */
export const revokeKey = defineAct({
  name: 'key.revoke',
  summary: 'Revoke an API key for ever, everywhere within a second',
  title: ['Révoquer cette clé ?', 'Revoke this key?'],
  right: 'keys.manage',
  fresh: true,
  on: row('any', 'key', { option: 'key-id' }),
  fields: {},
  async load(tx, { id, within: { merchant_id, livemode } }) {
    const place = merchant_id === undefined || livemode === undefined ? null : { merchant_id, livemode }
    const found = await store.findKey(tx, id, place)
    if (found === null) return null
    return { about: tenantOf(found), key: await store.lockKey(tx, found) }
  },
  facts: keyFacts,
  content: ({ key }) => contentOf(key),
  note: () => ['Ensuite, plus rien ne marche avec elle.', 'Then nothing works with it any longer.'],
  decide({ by }, { key }, now) {
    const result = { key_id: key.key_id }
    const moved = transitionKey(key, { trigger: 'revoked', by: by.person }, now)
    if (moved === null) return { kind: 'unchanged', result }
    const change = { before: { revoked: false }, after: { revoked: true } }
    return { kind: 'accepted', effects: moved.effects, result, ...change }
  },
  unknown: 'There is no key {key-id}.',
  refusals: {},
})
