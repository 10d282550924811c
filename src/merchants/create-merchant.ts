import { defineAct, service } from '../acts/act.ts'
import { lineField, text } from '../acts/facts.ts'
import { defineEffect, type Effect } from '../platform/commands/effects.ts'
import { takeAdvisoryLock } from '../platform/postgres/advisory-lock.ts'
import * as store from './store.ts'

export type CreateMerchantDeps = {
  /** Opens the accounts of a merchant in both modes, all at zero (`ledger/open-accounts.ts`). */
  readonly openAccounts: (merchant_id: number) => Effect
  /** False at the desk: two people of the company then check it (`merchant-files/check-merchant.ts`). */
  readonly is_checked: boolean
}

const writeMerchant = defineEffect<store.NewMerchant>('merchant', async (tx, rows) => {
  for (const row of rows) await store.insertMerchant(tx, row)
})

/**
 * Creates a merchant with its accounts in test and live mode, all at zero: money is decided under locks on accounts, and a row that does not
 * exist cannot be locked. It has no people yet; an administrator invites its first owner. Its number is the next one, which no other merchant
 * takes meanwhile.
 */
export const createMerchant = defineAct({
  name: 'merchant.create',
  summary: 'Create a merchant, in test and live mode',
  title: ['Créer ce marchand', 'Create this merchant'],
  right: 'merchants.manage',
  fresh: true,
  on: service,
  fields: {
    name: lineField(text(['Nom', 'Name']), {
      label: ['Nom', 'Name'],
      longest: 200,
      hint: ['Les payeurs le lisent sur la page de paiement.', 'Payers read it on the payment page.'],
      fault: ['Écrivez un nom de 1 à 200 lettres, sur une ligne.', 'Write a name of 1 to 200 letters, on one line.'],
    }),
  },
  async load(tx, _, { openAccounts, is_checked }: CreateMerchantDeps) {
    await takeAdvisoryLock(tx, 'new merchant')
    return { about: { merchant_id: await store.nextMerchantId(tx), livemode: null }, openAccounts, is_checked }
  },
  facts: { name: text(['Nom', 'Name']) },
  content: (_, { name }) => ({ name }),
  note: ({ is_checked }) =>
    is_checked
      ? [
          'Il n’a ni personne, ni frais, ni argent. Un administrateur invite ensuite son propriétaire.',
          'It has no people, no fees and no money. An administrator then invites its owner.',
        ]
      : [
          'Il n’a ni personne, ni frais, ni argent. Un administrateur invite ensuite son propriétaire. En réel, ses sommes sont limitées jusqu’à ce que deux personnes aient vérifié son dossier.',
          'It has no people, no fees and no money. An administrator then invites its owner. In live mode its sums are limited until two people have checked its file.',
        ],
  decide({ values: { name } }, { about: { merchant_id }, openAccounts, is_checked }) {
    const created = { merchant_id, name }
    const effects = [writeMerchant({ ...created, is_checked }), openAccounts(merchant_id)]
    return { kind: 'accepted', effects, result: created, after: is_checked ? { name } : { name, is_checked } }
  },
  refusals: {},
})
