import { defineAct, refuse, row } from '../acts/act.ts'
import { requestedBy, text } from '../acts/facts.ts'
import { isSecondPerson, maySecond, readBeginners } from '../acts/second-person.ts'
import { recordAct } from '../audit-log/record-act.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects } from '../platform/commands/effects.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { type Tenant, tenantOf } from '../values/caller.ts'
import { addressesFact, contentOf, keyFacts } from './key-facts.ts'
import { transitionKey } from './move-key.ts'
import * as store from './store.ts'

/**
 * Confirms a key that sends money, as the second person. The key works everywhere within a second. Confirming it again changes nothing. The person
 * who made the key or widened its addresses does not, nor whoever let them in within 90 days.
 */
export const confirmKey = defineAct({
  name: 'key.confirm',
  summary: 'Confirm a payout key; needs a person other than its creator',
  title: ['Confirmer cette clé ?', 'Confirm this key?'],
  right: 'keys.confirm',
  fresh: true,
  on: row('any', 'key', { option: 'key-id', place: 'named' }),
  fields: {},
  async load(tx, { id, within: { merchant_id, livemode } }) {
    if (merchant_id === undefined || livemode === undefined) return null
    const found = await store.findKey(tx, id, { merchant_id, livemode })
    if (found === null) return null
    const key = await store.lockKey(tx, found)
    return { about: tenantOf(found), key, makers: await readBeginners(tx, makersOf(key)) }
  },
  facts: {
    ...keyFacts,
    requested_by: requestedBy,
    widened_by: text(['Adresses élargies par', 'Addresses widened by']),
    addresses: addressesFact,
  },
  content({ key }) {
    const { created_by: requested_by, widened_by, allowed_addresses: addresses } = key
    return { ...contentOf(key), requested_by, widened_by, addresses }
  },
  decide({ by }, { key, makers }, now) {
    const result = { key_id: key.key_id }
    if (key.confirmed_by === by.person) return { kind: 'unchanged', result }
    const moved = transitionKey(key, { trigger: 'confirmed_by_second_person', by: by.person }, now)
    if (moved === null) return refuse('key_not_to_confirm')
    if (!isSecondPerson(makers, by.person)) return refuse('same_person')
    return { kind: 'accepted', effects: moved.effects, result, ...changeOf(key) }
  },
  unknown: 'This merchant has no such key in this mode.',
  refusals: {
    key_not_to_confirm: {
      words: [
        'Cette clé n’attend personne : elle sert déjà, ou elle a été révoquée.',
        'This key waits for nobody: it works already, or was revoked.',
      ],
    },
    same_person: {
      words: [
        'Vous l’avez faite ou élargie, ou vous avez fait entrer qui l’a fait depuis moins de 90 jours : une autre personne la confirme.',
        'You created or widened it, or let in within 90 days the person who did: another person confirms it.',
      ],
      command:
        'The one who made a key or widened its addresses does not confirm it, nor whoever let them in within 90 days. Have another person do it.',
    },
  },
})

/** The maker's own approval at a merchant of one person (payouts/alone), for the transaction that carries it out. */
export type OwnApproval = {
  /** Locks the approval. False when it was stopped. */
  readonly lock: (tx: Tx) => Promise<boolean>
  readonly end: (tx: Tx) => Promise<void>
}

/**
 * Confirms a key by its maker, whose own approval has come into effect. Does nothing when the key waits no longer, or the approval was stopped.
 * @param by the maker, as they approved
 */
export async function confirmOwnKey(
  { sql, clock }: { readonly sql: Sql; readonly clock: Clock },
  tenant: Tenant,
  key_id: string,
  by: Actor,
  own: OwnApproval,
): Promise<void> {
  const found = await store.findKey(sql, key_id, tenant)
  if (found === null) return
  await sql.begin(async (tx) => {
    const key = await store.lockKey(tx, found)
    const now = clock.now()
    const moved = transitionKey(key, { trigger: 'confirmed_by_second_person', by: by.person }, now)
    if (moved === null) return
    const isMaker = !(await maySecond(tx, makersOf(key), by.person))
    if (isMaker && !(await own.lock(tx))) return
    await applyEffects(tx, moved.effects, now)
    if (isMaker) await own.end(tx)
    recordAct(tx, key, { actor: by, act: 'key.confirm', subject: key_id, ...changeOf(key) })
  })
}

const makersOf = ({ created_by, widened_by }: store.LockedKey) => [created_by, widened_by]

const changeOf = ({ created_by }: store.LockedKey) => ({
  before: { created_by, confirmed: false },
  after: { confirmed: true },
})
