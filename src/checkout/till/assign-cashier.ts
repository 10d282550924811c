import { defineAct, isWithin, refuse, row } from '../../acts/act.ts'
import { lineField, text } from '../../acts/facts.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { tenantOf } from '../../values/caller.ts'
import { linkSituation } from '../link.ts'
import { findLink, lockLinks } from '../link-store.ts'
import { findCashiers, readCashiersOf } from './cashiers.ts'
import { deleteTillPeople, insertTillPeople } from './till-people-store.ts'

const place = defineEffect('person of a till', async (tx, people: Parameters<typeof insertTillPeople>[1]) => {
  // A row may be left from an earlier role of the person.
  await deleteTillPeople(tx, people)
  insertTillPeople(tx, people)
})
const takeOff = defineEffect('person of a till', deleteTillPeople)

const fields = {
  person: lineField(text(['Caissier', 'Cashier']), {
    label: ['Caissier', 'Cashier'],
    longest: 100,
    fault: ['Choisissez une personne.', 'Choose a person.'],
    option: {
      value: 'per_…',
      says: 'the cashier, as person list shows them',
      must: 'is a person, as person list shows them.',
    },
  }),
} as const

/** Locks the till's link, and reads who works there and who could. Null: no such link here. */
async function load(tx: Tx, id: string, within: Partial<Tenant>) {
  const key = await findLink(tx, id)
  if (key === null || !isWithin(key, within)) return null
  const [link] = await lockLinks(tx, [key])
  const [cashiers, placed] = await Promise.all([
    findCashiers(tx, key.merchant_id),
    readCashiersOf(tx, tenantOf(key), [id]),
  ])
  return { about: tenantOf(key), link: link!, cashiers, placed: placed.get(id) ?? [] }
}

/** Puts a cashier at a till: they ask for payments there, and see its payments of the day. */
export const assignCashier = defineAct({
  name: 'till.assign',
  summary: 'Put a cashier at a till',
  title: ['Mettre cette personne à la caisse ?', 'Put this person at the till?'],
  right: 'team.manage',
  fresh: false,
  on: row('lnk', 'payment link'),
  fields,
  load: (tx, { id, within }) => load(tx, id, within),
  facts: {},
  content: () => ({}),
  decide({ id, by, values: { person } }, { about, link, cashiers, placed }, now) {
    const result = { link_id: id, person_id: person }
    const cashier = cashiers.find(({ person_id }) => person_id === person)
    if (cashier === undefined) return refuse('not_a_cashier')
    if (placed.some(({ person_id }) => person_id === person)) return { kind: 'unchanged', result } as const
    if (!link.reusable || linkSituation(link) !== 'open') return refuse('not_a_till')
    return {
      kind: 'accepted',
      effects: [place({ ...about, link_id: id, person_id: person, added_by: by.person, added_at: now })],
      result,
      after: { email: cashier.email },
    } as const
  },
  unknown: 'There is no link {id}.',
  refusals: {
    not_a_cashier: {
      words: ['Cette personne n’est pas caissier chez vous.', 'This person is no cashier of yours.'],
      command: 'This person is no cashier of the merchant. Give the role with bandama person invite.',
      at: 'person',
    },
    not_a_till: {
      words: ['Une caisse est un code permanent ouvert.', 'A till is a permanent code that is open.'],
      command: '{id} is no open, reusable link. Give the link of a till.',
    },
  },
})

/** Takes a cashier off a till. They see nothing of it from their next page on. */
export const releaseCashier = defineAct({
  name: 'till.release',
  summary: 'Take a cashier off a till',
  title: ['Retirer cette personne de la caisse ?', 'Take this person off the till?'],
  right: 'team.manage',
  fresh: false,
  on: row('lnk', 'payment link'),
  fields,
  load: (tx, { id, within }) => load(tx, id, within),
  facts: {},
  content: () => ({}),
  decide({ id, values: { person } }, { about, placed }) {
    const result = { link_id: id, person_id: person }
    const cashier = placed.find(({ person_id }) => person_id === person)
    if (cashier === undefined) return refuse('not_at_till')
    return {
      kind: 'accepted',
      effects: [takeOff({ ...about, link_id: id, person_id: person })],
      result,
      before: { name: cashier.name },
    } as const
  },
  unknown: 'There is no link {id}.',
  refusals: {
    not_at_till: {
      words: ['Cette personne n’est déjà plus à cette caisse.', 'This person is not at this till any more.'],
      command: 'This person is not at the till {id}.',
    },
  },
})
