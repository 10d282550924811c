import { type ActDecision, defineAct, merchantInBothModes, refuse } from '../acts/act.ts'
import { defineDecision } from '../acts/decision.ts'
import { type Fact, merchantFact, requestedBy, text } from '../acts/facts.ts'
import { type Waits, waitsFor } from '../acts/proposal.ts'
import { findProposal, lockProposal, readWaitingProposal, writeActDecision } from '../acts/proposal-store.ts'
import { propose } from '../acts/propose.ts'
import { defineWithdrawal } from '../acts/withdraw-proposal.ts'
import { lockMerchant, updateChecked } from '../merchants/store.ts'
import { findHolders } from '../people/find-persons.ts'
import { tellPeople } from '../people/notices/notify.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { readDocuments } from './document-store.ts'
import { readFile, readOwners } from './store.ts'

// Two people of the company check a merchant that the desk opened: until then it has limits of its own in live mode.

const count = (name: readonly [string, string]): Fact<number> => ({ name, write: (n) => [String(n), String(n)] })

const facts = {
  merchant: merchantFact,
  legal_name: text(['Nom légal', 'Legal name']),
  rccm: text(['RCCM', 'RCCM']),
  tax_number: text(['NCC', 'Taxpayer’s number']),
  owners: count(['Bénéficiaires effectifs', 'Beneficial owners']),
  documents_checked: count(['Documents vérifiés', 'Documents checked']),
  documents_open: count(['Documents sans décision', 'Documents without a decision']),
} as const

/** Locks the merchant and reads its file. Null: there is no such merchant. */
async function lockFile(tx: Tx, merchant_id: number) {
  const merchant = await lockMerchant(tx, merchant_id)
  if (merchant === null) return null
  const [file, owners, documents] = [
    await readFile(tx, merchant_id),
    await readOwners(tx, merchant_id),
    await readDocuments(tx, merchant_id),
  ]
  const { legal_name = null, rccm = null, tax_number = null } = file ?? {}
  const having = (...statuses: string[]) => documents.filter(({ status }) => statuses.includes(status)).length
  const content = {
    ...{ legal_name, rccm, tax_number, owners: owners.length },
    ...{ documents_checked: having('checked'), documents_open: having('asked', 'received') },
  }
  return { is_checked: merchant.is_checked, content }
}

type Content = NonNullable<Awaited<ReturnType<typeof lockFile>>>['content']

const note = ({ documents_checked, documents_open }: Content) =>
  documents_checked === 0 || documents_open > 0
    ? ([
        'Des documents manquent ou attendent une décision. Regardez-les d’abord.',
        'Documents are missing or wait for a decision. Look at them first.',
      ] as const)
    : null

const title = ['Ce marchand est vérifié', 'This merchant is checked'] as const

/** A person of the company says that a merchant is checked. Nothing changes before a second one confirms it. */
export const proposeCheck = defineAct({
  name: 'merchant_check.propose',
  summary: 'Propose that a merchant is checked',
  title,
  right: 'merchants.manage',
  fresh: true,
  on: merchantInBothModes,
  fields: {},
  async load(tx, { merchant_id }) {
    const found = await lockFile(tx, merchant_id)
    if (found === null) return null
    const tenant = { merchant_id, livemode: true }
    const waiting = await readWaitingProposal(tx, tenant, 'merchant_check.propose', KEY)
    return { about: { merchant_id, livemode: null }, tenant, waiting, ...found }
  },
  facts,
  content: ({ content }) => content,
  note: ({ content }) => note(content) ?? ['Une deuxième personne décide.', 'A second person decides.'],
  decide(
    { by },
    { tenant, waiting, is_checked, content },
    now,
  ): ActDecision<Waits, 'checked_already' | 'waits_already'> {
    if (is_checked) return refuse('checked_already')
    if (waiting !== null)
      return waiting.proposed_by === by.person
        ? { kind: 'unchanged', result: waitsFor(waiting) }
        : refuse('waits_already', { id: waiting.id })
    const asked = { ...tenant, act: 'merchant_check.propose', subject: null, key: KEY, amount: null } as const
    return propose(by, { ...asked, typed: {}, content }, { line: 'merchant_check.propose', after: content }, now)
  },
  refusals: {
    checked_already: ['Ce marchand est déjà vérifié.', 'This merchant is checked already.'],
    waits_already: [
      'Une autre personne l’a déjà proposé : décidez sur {id}.',
      'Another person proposed it already: decide on {id}.',
    ],
  },
  conflicts: { act_proposals_standing: 'waits_already' },
})

/** One check of a merchant waits at a time. */
const KEY = 'file'

const writeChecked = defineEffect<{ readonly merchant_id: number }>('merchant', async (tx, rows) => {
  for (const { merchant_id } of rows) await updateChecked(tx, merchant_id)
})

/** A second person confirms that a merchant is checked, and its limits end; or refuses it, and they stay. */
export const decideCheck = defineDecision({
  names: { approve: 'merchant_check.approve', refuse: 'merchant_check.refuse' },
  id: 'prp',
  noun: 'proposed check of a merchant',
  summaries: {
    approve: 'Confirm that a merchant is checked',
    refuse: 'Refuse the check of a merchant',
  },
  title,
  right: 'merchants.manage',
  // The merchant is locked before the proposal.
  async lock(tx, id) {
    const found = await findProposal(tx, id)
    if (found?.act !== 'merchant_check.propose') return null
    await lockMerchant(tx, found.merchant_id)
    return lockProposal<object>(tx, id, 'merchant_check.propose')
  },
  async load(tx, { merchant_id }) {
    return { ...(await lockFile(tx, merchant_id))!, owners: await findHolders(tx, merchant_id, 'team.manage') }
  },
  facts: { ...facts, requested_by: requestedBy },
  content: ({ proposed_by: requested_by }, { content }) => ({ ...content, requested_by }),
  note: (_, { content }) => note(content),
  decided: writeActDecision,
  approve({ merchant_id, livemode }, { is_checked, owners }) {
    if (is_checked) return refuse('checked_already')
    const told = { name: 'merchant_checked', about: { merchant_id, livemode }, to: owners } as const
    return {
      effects: [writeChecked({ merchant_id }), ...(owners.length === 0 ? [] : [tellPeople(told)])],
      row: { outcome: String(merchant_id) },
      before: { is_checked: false },
      after: { is_checked: true },
    }
  },
  refused: () => ({}),
  refusals: { checked_already: ['Ce marchand est déjà vérifié.', 'This merchant is checked already.'] },
})

/** The first person takes back that a merchant is checked. */
export const withdrawCheck = defineWithdrawal({
  name: 'merchant_check.withdraw',
  of: ['merchant_check.propose'],
  noun: 'proposed check of a merchant',
  summary: 'Withdraw one’s own check of a merchant',
  right: 'merchants.manage',
})
