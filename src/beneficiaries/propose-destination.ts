import { type ActCall, defineAct, merchant, refuse } from '../acts/act.ts'
import { type Field, merchantFact, optional, sumField, type ValuesOf } from '../acts/facts.ts'
import { recordActs } from '../audit-log/record-act.ts'
import { tellPeople } from '../people/notices/notify.ts'
import { defineEffect, type Effect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import type { Words } from '../values/language.ts'
import { holderField } from './account-fields.ts'
import { beneficiaryIdIn } from './beneficiary.ts'
import { accountFields, createdOf, insertEntry, lockBook, newDestination } from './create-destination.ts'
import { hasSecond, readDeciders } from './destination-deciders.ts'
import { accountFacts, endFact, endOf } from './destination-facts.ts'
import { readDestination } from './destination-store.ts'
import * as proposals from './proposal-store.ts'
import * as store from './store.ts'

/** `iban` or `wallet`: the account that the other fields describe. Otherwise the id of an entry of the book. */
const toField: Field<string> = {
  name: ['Vers', 'To'],
  write: (to) => [to, to],
  read: (typed) => typed,
  form: { label: ['Vers', 'To'], kind: 'choice', fault: ['Choisissez une destination.', 'Choose a destination.'] },
  option: { name: 'beneficiary', must: 'is the id of a destination of the book.' },
}

/** Francs to withdraw to the present destination in the same act. Null: none. */
const withdraw = optional(
  sumField(['Retirer d’abord', 'Withdraw first'], {
    name: ['Retiré d’abord', 'Withdrawn first'],
    option: { name: 'withdraw' },
  }),
)

const fields = { to: toField, ...accountFields, holder: optional(holderField), withdraw } as const

/**
 * Locks and reads what a withdrawal to the present destination needs. The function that it returns decides on it: its effects, or null when it is
 * refused. Settlements, which lie above, give it.
 */
export type WithdrawFirst = (
  tx: Tx,
  by: Actor,
  order: { readonly tenant: Tenant; readonly amount: number; readonly destination: string },
) => Promise<(now: Date) => Effect[] | null>

export type ProposeDeps = { readonly withdrawFirst: WithdrawFirst }

type Call = ActCall<typeof merchant, ValuesOf<typeof fields>>

/** Finds the proposed entry of the book, or makes a new one of the typed account. Null: there is no such active destination. */
async function findEntry(tx: Tx, call: Call): Promise<{ id: string; new_entry: store.NewEntry | null } | null> {
  const { tenant, values } = call
  if (values.to === 'iban' || values.to === 'wallet') {
    const entry = newDestination(call, values, values.holder!)
    const known = await store.readActive(tx, entry)
    return known === null ? { id: entry.id, new_entry: entry } : { id: known.id, new_entry: null }
  }
  const id = beneficiaryIdIn(values.to)
  const known = id === null ? null : await store.readBeneficiary(tx, { ...tenant, id })
  return known?.kind === 'settlement' && known.active ? { id: known.id, new_entry: null } : null
}

/** Reads the account of an entry, which a person confirms whole. */
async function readAccount(
  tx: Tx,
  { tenant }: Call,
  { id, new_entry }: { id: string; new_entry: store.NewEntry | null },
) {
  if (new_entry !== null) {
    const { iban, msisdn, operator, name: holder } = new_entry
    return { account: iban ?? msisdn!, operator, holder }
  }
  const { operator, name: holder } = (await store.readBeneficiary(tx, { ...tenant, id }))!
  const { account } = await readDestination(tx, { ...tenant, id })
  return { account, operator, holder }
}

const insertProposal = defineEffect<proposals.NewProposal>('new row', async (tx, proposed) => {
  for (const one of proposed) await proposals.insertProposal(tx, one)
})

const nothingLeaves: Words = [
  'Une fois la nouvelle confirmée, l’ancienne ne sert plus, et rien ne se retire avant la fin du délai de la nouvelle.',
  'Once the new one is confirmed, the former one serves no more, and nothing can be withdrawn before the delay of the new one ends.',
]

/** A proposal that waits, as the command prints it. */
export type DestinationProposed = Pick<proposals.ProposalRow, 'beneficiary_id' | 'status' | 'by_company'> & {
  readonly proposal_id: string
}

/**
 * Proposes where settlements go, as the first of two people: a destination of the book, or a new one, which enters the book. Nothing changes
 * until a second person confirms. Repeating one's own proposal returns the one that waits.
 */
export const proposeDestination = defineAct({
  name: 'destination.propose',
  summary: 'Propose where settlements go: the first of two people',
  title: ['Proposer cette destination', 'Propose this destination'],
  right: 'destination.propose',
  fresh: true,
  on: merchant,
  fields,
  async load(tx, call: Call, { withdrawFirst }: ProposeDeps) {
    const { by, tenant, values } = call
    const present = values.withdraw === null ? null : await store.readDesignated(tx, tenant)
    // Its accounts come before that of the book in the lock order.
    const order = present && { tenant, amount: values.withdraw!, destination: present.id }
    const withdrawing = order && (await withdrawFirst(tx, by, order))
    await lockBook(tx, tenant)
    const destinations = await store.lockDestinations(tx, tenant)
    const entry = await findEntry(tx, call)
    return {
      about: tenant,
      ...{ entry, present, withdrawing },
      account: entry && (await readAccount(tx, call, entry)),
      waiting: await proposals.readWaiting(tx, tenant),
      designated: destinations.find(({ designated_at }) => designated_at !== null)?.id ?? null,
      deciders: await readDeciders(tx, tenant.merchant_id),
      proposal_id: crypto.randomUUID(),
    }
  },
  facts: { ...accountFacts, merchant: merchantFact, withdraw, withdraw_to: endFact(['Retiré vers', 'Withdrawn to']) },
  content: ({ account, present }, { withdraw: sum }) => ({
    ...(account ?? { account: null, operator: null, holder: null }),
    ...{ withdraw: present && sum, withdraw_to: present && endOf(present) },
  }),
  note: ({ designated, entry }) => (designated === null || designated === entry?.id ? null : nothingLeaves),
  decide({ by, tenant, values }, { withdrawing, entry, waiting, designated, deciders, proposal_id }, now) {
    if (entry === null) return refuse('unknown_destination')
    const { id: beneficiary_id, new_entry } = entry
    if (waiting !== null) {
      const isSame = waiting.beneficiary_id === beneficiary_id && waiting.proposed_by === by.person
      // A proposal that waits withdraws nothing: what was signed would not be done.
      if (!isSame || values.withdraw !== null) return refuse('another_waits')
      const result: DestinationProposed = {
        beneficiary_id,
        proposal_id: waiting.id,
        status: waiting.status,
        by_company: waiting.by_company,
      }
      return { kind: 'unchanged', result }
    }
    if (designated === beneficiary_id) return refuse('already_designated')
    // An owner who is alone: two people of the company decide, after a call.
    const by_company = !hasSecond(deciders, by.person)
    if (by_company && deciders.get(by.person)?.owner !== true) return refuse('no_second')
    const withdrawn = values.withdraw === null ? [] : (withdrawing?.(now) ?? null)
    if (withdrawn === null) return refuse('cannot_withdraw')
    const result: DestinationProposed = { beneficiary_id, proposal_id, status: 'proposed', by_company }
    const added = new_entry && {
      ...{ ...tenant, actor: by, act: 'destination.create' as const },
      ...{ subject: beneficiary_id, after: createdOf(new_entry) },
    }
    return {
      kind: 'accepted',
      effects: [
        ...withdrawn,
        ...(new_entry === null ? [] : [insertEntry(new_entry), recordActs(added!)]),
        insertProposal({ ...tenant, id: proposal_id, beneficiary_id, proposed_by: by.person, by_company }),
        // An owner who is alone is told too: somebody else may hold their telephone.
        tellPeople({
          name: 'destination_proposed',
          about: tenant,
          subject: beneficiary_id,
          except: by_company ? [] : [by.person],
        }),
      ],
      result,
      subject: beneficiary_id,
      after: { status: 'proposed', proposal_id },
    }
  },
  refusals: {
    unknown_destination: {
      words: [
        'Cette destination n’est plus au carnet. Rien n’est proposé.',
        'This destination is no longer in the address book. Nothing was proposed.',
      ],
      command: 'This merchant has no such active settlement destination.',
    },
    already_designated: [
      'Vos reversements vont déjà là. Rien n’est proposé.',
      'Your settlements go there already. Nothing was proposed.',
    ],
    cannot_withdraw: [
      'Ce retrait ne peut plus se faire : regardez la somme disponible. Rien n’est retiré ni proposé.',
      'This withdrawal can no longer be made: look at the available sum. Nothing was withdrawn or proposed.',
    ],
    another_waits: [
      'Une autre proposition attend. Elle est décidée ou retirée d’abord.',
      'Another proposal waits. It is decided or withdrawn first.',
    ],
    no_second: [
      'Il faut une deuxième personne pour confirmer, et l’une des deux est propriétaire. Invitez-la dans l’équipe. Seule, une personne ne change pas où va l’argent.',
      'It takes a second person to confirm, and one of the two is an owner. Invite them to the team. One person alone does not change where the money goes.',
    ],
  },
})
