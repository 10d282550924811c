import { defineAct, merchantInBothModes, refuse, row } from '../acts/act.ts'
import { type Field, lineField, merchantFact, text } from '../acts/facts.ts'
import { lockMerchant } from '../merchants/store.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import { asSeen } from '../values/as-seen.ts'
import { newId } from '../values/ids.ts'
import type { Words } from '../values/language.ts'
import type { Owner } from './merchant-file.ts'
import * as store from './store.ts'

const WHOLE = 10_000

const shareFault: Words = [
  'Écrivez un pourcentage de plus de 25 à 100, comme 33,34.',
  'Write a percentage above 25 and up to 100, such as 33.34.',
]

/** Writes a share: `33.34 %`. */
export const writeShare = (basis_points: number): Words => [
  `${String(basis_points / 100).replace('.', ',')} %`,
  `${basis_points / 100} %`,
]

const share: Field<number> = {
  name: ['Part', 'Share'],
  write: writeShare,
  read(typed) {
    const [, whole, part = ''] = /^(\d{1,3})(?:[.,](\d{1,2}))?$/.exec(asSeen(typed).replace(/[\s%]/g, '')) ?? []
    if (whole === undefined) return undefined
    const basis_points = Number(whole) * 100 + Number(part.padEnd(2, '0'))
    return basis_points > WHOLE / 4 && basis_points <= WHOLE ? basis_points : undefined
  },
  form: { label: ['Part, en %', 'Share, in %'], kind: 'decimal', fault: shareFault },
  option: {
    value: 'PERCENT',
    says: 'the share in percent, more than 25',
    sample: '33.34',
    must: 'must be a percentage above 25, up to 100.',
  },
}

const nameFact = text(['Nom', 'Name'])

const writeOwner = defineEffect<Owner>('new row', async (tx, owners) => {
  for (const owner of owners) await store.insertOwner(tx, owner)
})

/** Adds a person who owns more than a quarter. All shares together are at most 100 %. */
export const addOwner = defineAct({
  name: 'merchant_file.add_owner',
  summary: 'Add a person who owns more than 25 % of a merchant',
  title: ['Ajouter un bénéficiaire effectif', 'Add a beneficial owner'],
  right: 'merchants.manage',
  fresh: true,
  on: merchantInBothModes,
  fields: {
    name: lineField(nameFact, {
      label: ['Nom', 'Name'],
      longest: 200,
      fault: ['Écrivez un nom de 1 à 200 lettres, sur une ligne.', 'Write a name of 1 to 200 letters, on one line.'],
      option: { says: 'the name of the person', sample: "'Affoué Konan'" },
    }),
    share,
  },
  async load(tx, { merchant_id }) {
    if ((await lockMerchant(tx, merchant_id)) === null) return null
    return { about: { merchant_id, livemode: null }, owners: await store.readOwners(tx, merchant_id) }
  },
  facts: { name: nameFact, share, merchant: merchantFact },
  content: (_, { name, share }) => ({ name, share }),
  decide({ merchant_id, values: { name, share } }, { owners }, now) {
    const together = owners.reduce((sum, { share_basis_points }) => sum + share_basis_points, share)
    if (together > WHOLE) return refuse('more_than_whole')
    const id = newId('mow', now.getTime())
    const owner = { merchant_id, id, name, share_basis_points: share, added_at: now, ended_at: null }
    return { kind: 'accepted', effects: [writeOwner(owner)], result: owner, subject: id, after: { share } }
  },
  refusals: {
    more_than_whole: {
      words: ['Les parts dépasseraient 100 % ensemble.', 'The shares would be more than 100 % together.'],
      at: 'share',
    },
  },
})

const writeEnd = defineEffect<Owner & { readonly ended_at: Date }>('merchant', async (tx, owners) => {
  for (const { merchant_id, id, ended_at } of owners) await store.endOwner(tx, { merchant_id, id, ended_at })
})

/** Notes that a person no longer owns more than a quarter. The row stays. */
export const endOwner = defineAct({
  name: 'merchant_file.end_owner',
  summary: 'Note that a person no longer owns more than 25 % of a merchant',
  title: ['Retirer ce bénéficiaire effectif', 'Remove this beneficial owner'],
  right: 'merchants.manage',
  fresh: true,
  on: row('mow', 'owner', { place: 'of_merchant' }),
  fields: {},
  async load(tx, { id, within }) {
    const merchant_id = await store.findOwnersMerchant(tx, id)
    if (merchant_id === null || (within.merchant_id ?? merchant_id) !== merchant_id) return null
    await lockMerchant(tx, merchant_id)
    const owner = await store.readOwner(tx, merchant_id, id)
    return owner && { about: { merchant_id, livemode: null }, owner }
  },
  facts: { name: nameFact, share, merchant: merchantFact },
  content: ({ owner: { name, share_basis_points } }) => ({ name, share: share_basis_points }),
  decide(_, { owner }, now) {
    if (owner.ended_at !== null) return { kind: 'unchanged', result: owner }
    const ended = { ...owner, ended_at: now }
    const change = { before: { share: owner.share_basis_points }, after: { share: null } }
    return { kind: 'accepted', effects: [writeEnd(ended)], result: ended, ...change }
  },
  refusals: {},
})
