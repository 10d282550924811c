import { type ActCall, type ActDecision, defineAct, row } from '../acts/act.ts'
import type { ValuesOf } from '../acts/facts.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { tenantOf } from '../values/caller.ts'
import { addedAddress, addressesField } from './address-field.ts'
import { addressesFact, contentOf, keyFacts } from './key-facts.ts'
import { transitionKey } from './move-key.ts'
import * as store from './store.ts'

/** Ends an approval of a narrower key that has not taken effect yet (payouts/alone). */
export type OnWider = (by: Actor) => (tx: Tx, key: store.LockedKey) => Promise<unknown>

type Widened = { readonly key: store.LockedKey; readonly by: Actor; readonly onWider: OnWider | undefined }

const endNarrower = defineEffect<Widened>('API key', async (tx, widened) => {
  for (const { key, by, onWider } of widened) await onWider?.(by)(tx, key)
})

type Change = { readonly key: store.LockedKey; readonly allowed_addresses: readonly string[] }

const writeAddresses = defineEffect<Change>('API key', async (tx, changes) => {
  for (const { key, allowed_addresses } of changes) await store.updateAllowedAddresses(tx, key, allowed_addresses)
})

const on = row('any', 'key', { option: 'key-id' })

/** `add`: one address beside the present ones, in place of a whole list. */
const fields = { addresses: addressesField, add: addedAddress } as const

/** `waits`: the key does not work until a second person has confirmed it. */
export type AddressesSet = {
  readonly key_id: string
  readonly allowed_addresses: readonly string[]
  readonly waits: boolean
}

export type WiderDeps = { readonly onWider?: OnWider | undefined }

/**
 * Replaces the addresses from which a key may be used, in every process within a second. An empty list removes the restriction. A key that needs a
 * second person waits for one again if it may be used from more addresses: that person confirmed the narrower list.
 */
export const allowAddresses = defineAct({
  name: 'key.allow',
  summary: 'Replace the addresses that a key may be used from; without --allow: any',
  title: ['Changer les adresses permises ?', 'Change the allowed addresses?'],
  right: 'keys.manage',
  fresh: true,
  on,
  fields,
  async load(tx, { id, within, values }: ActCall<typeof on, ValuesOf<typeof fields>>, { onWider }: WiderDeps) {
    const { merchant_id, livemode } = within
    const place = merchant_id === undefined || livemode === undefined ? null : { merchant_id, livemode }
    const found = await store.findKey(tx, id, place)
    if (found === null) return null
    const key = await store.lockKey(tx, found)
    const before = key.allowed_addresses
    const added = values.add === null ? values.addresses : [...before, values.add]
    const allowed_addresses = [...new Set(added)]
    const waits = key.needs_confirmation && (await store.isWider(tx, before, allowed_addresses))
    return { about: tenantOf(found), key, allowed_addresses, waits, onWider }
  },
  facts: { ...keyFacts, addresses: addressesFact },
  content: ({ key, allowed_addresses: addresses }) => ({ ...contentOf(key), addresses }),
  note: ({ waits }) =>
    waits
      ? [
          'La clé servira depuis plus d’adresses : elle attendra de nouveau une deuxième personne.',
          'The key may be used from more addresses, and waits for a second person again.',
        ]
      : null,
  decide({ by }, { key, allowed_addresses, waits, onWider }, now): ActDecision<AddressesSet> {
    const widened = waits ? transitionKey(key, { trigger: 'addresses_widened', by: by.person }, now) : null
    // In this order: the database refuses more addresses of a key that is still confirmed.
    const waitsAgain = widened === null ? [] : [endNarrower({ key, by, onWider }), ...widened.effects]
    const { key_id, confirmed_by } = key
    return {
      kind: 'accepted',
      effects: [...waitsAgain, writeAddresses({ key, allowed_addresses })],
      result: { key_id, allowed_addresses, waits },
      before: { allowed_addresses: key.allowed_addresses, ...(waits && { confirmed_by }) },
      after: { allowed_addresses, ...(waits && { confirmed: false }) },
    }
  },
  unknown: 'There is no key {key-id}.',
  refusals: {},
})
