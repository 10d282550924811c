import { defineAct, merchant } from '../acts/act.ts'
import { choiceField, lineField, optional, type ValuesOf } from '../acts/facts.ts'
import { defineEffect, type Effect } from '../platform/commands/effects.ts'
import { isBreakGlass } from '../values/actor.ts'
import type { Scope } from '../values/caller.ts'
import type { Secret } from '../values/secret.ts'
import { addressesField } from './address-field.ts'
import { addressesFact, keyFacts, scopeWords } from './key-facts.ts'
import { keyDigest, newKey } from './key-format.ts'
import { insertKey, type KeyOfTenant } from './store.ts'

/** The key is shown once; the database has its digest. @property to_confirm it works once a second person has confirmed it */
export type KeyCreated = ValuesOf<typeof fields> & {
  readonly key_id: string
  readonly key: Secret
  readonly livemode: boolean
  readonly to_confirm: boolean
}

export type CreateKeyDeps = {
  readonly key_prefix: string
  /** Tells the people who may confirm a key that it waits for them. Absent: nobody is told. */
  readonly onWaiting?: (key: KeyOfTenant & { readonly created_by: string }) => Effect[]
}

const fields = {
  name: optional(
    lineField(keyFacts.name, {
      label: keyFacts.name.name,
      longest: 100,
      fault: ['Donnez un nom, de 100 lettres au plus.', 'Give a name, of 100 letters at most.'],
    }),
  ),
  scope: choiceField<Scope>(keyFacts.scope, {
    label: keyFacts.scope.name,
    choices: scopeWords,
    fault: ['Choisissez ce que la clé peut faire.', 'Choose what the key can do.'],
    says: 'the money that the key moves',
  }),
  addresses: addressesField,
} as const

const insert = defineEffect<Parameters<typeof insertKey>[1]>('new row', async (tx, keys) => {
  for (const key of keys) await insertKey(tx, key)
})

/** Creates a key of a merchant in one mode. A payout key that a signed-in person creates works once a second person has confirmed it. */
export const createKey = defineAct({
  name: 'key.create',
  summary: 'Create an API key; it is shown once',
  title: ['Créer une clé', 'Create a key'],
  right: 'keys.manage',
  fresh: true,
  on: merchant,
  fields,
  load: async (_tx, { tenant }, { key_prefix, onWaiting = () => [] }: CreateKeyDeps) => {
    return { about: tenant, key_prefix, onWaiting }
  },
  facts: { merchant: keyFacts.merchant, name: keyFacts.name, scope: keyFacts.scope, addresses: addressesFact },
  content: (_, values) => values,
  decide({ by, tenant, values }, { key_prefix, onWaiting }) {
    const { merchant_id, livemode } = tenant
    const { name, scope, addresses: allowed_addresses } = values
    const { key_id, key } = newKey(key_prefix, livemode)
    const needs_confirmation = scope === 'payout' && !isBreakGlass(by)
    const told = needs_confirmation ? onWaiting({ ...tenant, key_id, created_by: by.person }) : []
    const row = { merchant_id, livemode, key_id, scope, secret_hash: keyDigest(key.reveal()), allowed_addresses }
    return {
      kind: 'accepted',
      effects: [insert({ ...row, name, created_by: by.person, needs_confirmation }), ...told],
      result: { key_id, key, livemode, to_confirm: needs_confirmation, ...values } satisfies KeyCreated,
      subject: key_id,
      after: { scope, allowed_addresses, needs_confirmation },
    }
  },
  unknown: 'There is no such merchant.',
  refusals: {},
})
