import { type ActDecision, defineAct, merchant, type RefusalWords, refuse } from '../acts/act.ts'
import { defineDecision } from '../acts/decision.ts'
import { type Fact, type Field, francs, merchantFact, requestedBy, sumField, text } from '../acts/facts.ts'
import { type ActProposal, type Waits, waitsFor } from '../acts/proposal.ts'
import { lockProposal, readWaitingProposal, writeActDecision } from '../acts/proposal-store.ts'
import { type AloneDeps, propose, readAlone, secondDecides, takesSecond } from '../acts/propose.ts'
import { defineWithdrawal } from '../acts/withdraw-proposal.ts'
import { bankField, bankToRead, isBankAccount, noBankAccount } from '../external-accounts/bank-field.ts'
import { BANK } from '../external-accounts/external-account.ts'
import type { Clock } from '../platform/clock.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import { writeAmount } from '../platform/http/pages/write-values.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { bankReferenceIn } from '../values/bank-reference.ts'
import { type Tenant, tenantOf } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import { guardedAccounts } from './accounts.ts'
import { lockAccounts, postTransaction } from './post.ts'
import { deposit, type Leg, movedToTransfer } from './postings.ts'
import * as store from './store.ts'

/** A booking into the transfer balance. `transfer`: the resulting balance, in francs. `repeated`: it was booked before, and nothing is booked now. */
export type Filled = {
  readonly id: string
  readonly amount: number
  readonly transfer: number
  readonly repeated: boolean
}

const kinds = {
  deposit: { prefix: 'dep', legs: ({ amount, account = BANK }: Wanted) => deposit(amount, account) },
  moved_to_transfer: { prefix: 'mov', legs: ({ amount }: Wanted) => movedToTransfer(amount) },
} as const

type Wanted = Tenant & {
  readonly operation: keyof typeof kinds
  readonly amount: number
  /** 1 to 140 characters, compared like bank references. Null: every command books anew. */
  readonly reference: string | null
  /** The bank account of a deposit. Absent: the account `bank`. */
  readonly account?: string
}
type Has = {
  readonly about: Tenant
  readonly wanted: Wanted
  readonly id: string
  readonly legs: readonly Leg[]
  readonly balances: ReadonlyMap<string, number>
  readonly earlier: store.FoundFilling | null
}

const insufficient_funds: RefusalWords = {
  at: 'amount',
  words: ['Le solde disponible ne le couvre pas.', 'The available balance does not cover it.'],
}

const keyUsed: RefusalWords = {
  at: 'reference',
  words: ['Cette référence est déjà inscrite, avec {sum}.', 'This reference is booked already, with {sum}.'],
  command: 'This --key was booked at {at} as {id}, with {booked} francs. Nothing was booked now: check the amount.',
}

const referenceUsed: RefusalWords = {
  at: 'reference',
  words: [
    'Cette référence est déjà inscrite, avec {sum}, sur le compte {account}.',
    'This reference is booked already, with {sum}, in the account {account}.',
  ],
  command:
    'This --reference was booked at {at} as {id}, with {booked} francs in the account {account}. Nothing was booked now: check the amount and the account.',
}

const bankReference = text(['Référence de la banque', 'The bank’s reference'])

const depositFacts = {
  amount: francs(['Montant', 'Amount']),
  merchant: merchantFact,
  reference: bankReference,
  account: text(bankField.name),
} as const

export type DepositDeps = AloneDeps & { readonly clock: Clock }

/**
 * Books money that a merchant brought to the bank for its payouts. The bank's account has no lower bound. In live mode a sum above the limit of one
 * person waits for a second one (`decideDeposit`).
 */
export const recordDeposit = defineAct({
  name: 'balance.deposit',
  summary: 'Book a deposit to the transfer balance of a merchant; the same --reference again books nothing',
  title: ['Inscrire un dépôt', 'Book a deposit'],
  right: 'deposits.record',
  fresh: true,
  on: merchant,
  fields: {
    deposited: sumField(['Somme reçue, F CFA', 'Sum received, F CFA'], { option: { name: 'amount' } }),
    reference: referenceField(bankReference, {
      label: bankReference.name,
      hint: ['La même référence n’est inscrite qu’une fois.', 'The same reference is booked only once.'],
      fault: [
        'Écrivez la référence de la banque, de 1 à 140 signes.',
        'Write the bank’s reference, 1 to 140 characters.',
      ],
      option: { value: 'R', says: "the bank's reference of the transfer", sample: 'VIR-2026-0042' },
    }),
    account: bankField,
  },
  async load(tx, { by, tenant, values }, { clock, ...limits }: DepositDeps) {
    const { deposited: amount, reference, account = BANK } = values
    const alone = await readAlone(tx, by, tenant, limits)
    const is_bank = await isBankAccount(tx, tenant.livemode, account)
    const wanted: Wanted = { ...tenant, operation: 'deposit', amount, reference, account: is_bank ? account : BANK }
    const has = await lock(tx, wanted, clock)
    return { ...has, is_bank, alone, waiting: await readWaitingProposal(tx, tenant, 'balance.deposit', reference) }
  },
  facts: depositFacts,
  content: (_, { deposited: amount, reference, account = BANK }) => ({
    ...{ amount, reference, account: bankToRead(account) },
  }),
  note: ({ alone, wanted: { amount } }) =>
    takesSecond(alone, amount)
      ? secondDecides
      : ['L’argent entre dans son solde d’envoi.', 'The money goes to its payout balance.'],
  decide(
    { by, tenant, values },
    { is_bank, alone, waiting, ...has },
    now,
  ): ActDecision<Filled | Waits, DepositRefusal> {
    const { deposited: amount, reference, account = BANK } = values
    if (!is_bank) return refuse('no_bank_account')
    const decided = decideFilling(has)
    if (decided.kind !== 'accepted' || alone === null) return decided
    if (waiting !== null) {
      const { account: there = BANK } = waiting.typed as TypedDeposit
      return waiting.amount === amount && there === account
        ? { kind: 'unchanged', result: waitsFor(waiting) }
        : refuse('reference_waits', { sum: writeAmount(waiting.amount ?? 0), account: there })
    }
    if (!takesSecond(alone, amount)) return decided
    const typed: TypedDeposit = { deposited: amount, reference, account }
    const content = { amount, reference, account: bankToRead(account) }
    const asked = { ...tenant, act: 'balance.deposit', subject: null, key: reference, amount, typed, content } as const
    return propose(by, asked, { line: 'deposit.propose', after: content }, now)
  },
  refusals: {
    reference_used: referenceUsed,
    insufficient_funds,
    no_bank_account: noBankAccount,
    reference_waits: {
      at: 'reference',
      words: [
        'Un autre dépôt attend déjà sous cette référence : {sum}, sur le compte {account}.',
        'Another deposit waits under this reference already: {sum}, in the account {account}.',
      ],
    },
  },
})

type DepositRefusal = 'reference_used' | 'insufficient_funds' | 'no_bank_account' | 'reference_waits'
/** `account`: absent in a proposal from before external accounts. */
export type TypedDeposit = { deposited: number; reference: string | null; account?: string }

/** The refusals of booking a proposed deposit. */
export const proposedRefusals = {
  reference_used: referenceUsed,
  insufficient_funds,
  booked_before: {
    words: [
      'Ce dépôt est déjà inscrit sous cette référence. Refusez cette demande.',
      'This deposit is booked already under this reference. Refuse this one.',
    ],
    command: 'This deposit was booked meanwhile as {id}. Refuse the proposal.',
  },
} as const satisfies Record<string, RefusalWords>

export const proposedFacts = { ...depositFacts, requested_by: requestedBy } as const

/** Locks a deposit that waits. Null when there is none. */
export function lockDeposit(tx: Tx, id: string): Promise<ActProposal<TypedDeposit> | null> {
  return lockProposal<TypedDeposit>(tx, id, 'balance.deposit')
}

/** Locks the accounts of a locked proposal, and reads what was booked under its reference. */
export function loadDeposit(tx: Tx, row: ActProposal<TypedDeposit>, clock: Clock): Promise<Has> {
  const { deposited: amount, reference, account = BANK } = row.typed
  return lock(tx, { ...tenantOf(row), operation: 'deposit', amount, reference, account }, clock)
}

/** Books a proposed deposit, or refuses it. */
export function bookProposed(has: Has) {
  const decided = decideFilling(has)
  if (decided.kind === 'refused') return decided
  if (decided.kind === 'unchanged') return refuse('booked_before', { id: decided.result.id })
  const { id, amount } = decided.result
  return { effects: decided.effects, row: { outcome: id }, after: { id, amount, reference: has.wanted.reference } }
}

/** A second person books a deposit above the limit of one, or refuses it. */
export const decideDeposit = defineDecision({
  names: { approve: 'deposit.approve', refuse: 'deposit.refuse' },
  id: 'prp',
  noun: 'proposed deposit',
  summaries: {
    approve: 'Book a deposit that waits for a second person; needs a person other than the proposer',
    refuse: 'Refuse a deposit that waits for a second person; nothing is booked',
  },
  title: ['Inscrire un dépôt', 'Book a deposit'],
  right: 'deposits.record',
  lock: lockDeposit,
  load: (tx, row: ActProposal<TypedDeposit>, { clock }: { clock: Clock }) => loadDeposit(tx, row, clock),
  facts: proposedFacts,
  content: ({ typed: { deposited: amount, reference, account = BANK }, proposed_by: requested_by }) => ({
    ...{ amount, reference, account: bankToRead(account), requested_by },
  }),
  decided: writeActDecision,
  approve: (_, has) => bookProposed(has),
  refused: ({ amount }) => ({ amount }),
  refusals: proposedRefusals,
})

/** The first person takes a deposit back that waits for a second one. */
export const withdrawDeposit = defineWithdrawal({
  name: 'deposit.withdraw',
  of: ['balance.deposit'],
  noun: 'proposed deposit',
  summary: 'Withdraw a deposit that one has proposed oneself; nothing is booked',
  right: 'deposits.record',
})

/** Moves money that the service owes a merchant from `available` to its transfer balance, for payouts. */
export const moveToTransfer = defineAct({
  name: 'balance.transfer',
  summary: 'Move money from the available to the transfer balance of a merchant; the same --key again moves nothing',
  title: ['Recharger les envois', 'Top up payouts'],
  right: 'payouts.fund',
  fresh: true,
  on: merchant,
  fields: {
    amount: sumField(['Somme, F CFA', 'Sum, F CFA']),
    key: referenceField(text(['Votre nom pour ce passage', 'Your name for this transfer']), {
      label: ['Votre nom pour ce passage', 'Your name for this transfer'],
      fault: ['Écrivez de 1 à 140 signes.', 'Write 1 to 140 characters.'],
      option: { value: 'KEY', says: 'your own name for this transfer, which is then made once' },
    }),
  },
  load: (tx, { tenant, values }, { clock }: { clock: Clock }) =>
    lock(tx, { ...tenant, operation: 'moved_to_transfer', amount: values.amount, reference: values.key }, clock),
  facts: { amount: francs(['Montant', 'Amount']), merchant: merchantFact },
  content: (_, { amount }) => ({ amount }),
  decide: (_, has) => decideFilling(has),
  refusals: { reference_used: keyUsed, insufficient_funds },
})

/** A field with a reference that is booked once. A command may leave it out. */
function referenceField(
  fact: Fact<string>,
  {
    option,
    ...form
  }: Pick<Field<string>['form'], 'label' | 'hint' | 'fault'> & {
    option: Pick<Field<string>['option'], 'value' | 'says' | 'sample'>
  },
): Field<string | null> {
  return {
    ...fact,
    write: (reference) => fact.write(reference ?? ''),
    read: (typed) => bankReferenceIn(typed) ?? undefined,
    form: { ...form, kind: 'line', longest: 140 },
    option: { ...option, must: 'has 1 to 140 printable characters.', absent: null },
  }
}

/** Locks the accounts, and reads what was booked with the reference: the second of two concurrent commands finds what the first booked. */
async function lock(tx: Tx, wanted: Wanted, clock: Clock): Promise<Has> {
  const { merchant_id, livemode, operation, reference } = wanted
  const about = { merchant_id, livemode }
  const { prefix, legs: legsOf } = kinds[operation]
  const legs = legsOf(wanted)
  const accounts = legs.map(({ account }) => ({ ...about, account }))
  const locked = await lockAccounts(tx, accounts)
  const balances = new Map(accounts.map((account) => [account.account, locked.get(account)!.balance]))
  const earlier = reference === null ? null : await store.findFilling(tx, { ...about, operation, reference })
  return { about, wanted, id: newId(prefix, clock.milliseconds()), legs, balances, earlier }
}

function decideFilling(has: Has): ActDecision<Filled, 'reference_used' | 'insufficient_funds'> {
  const { about, wanted, id, legs, balances, earlier } = has
  const { operation, amount, reference } = wanted
  const transfer = balances.get('transfer')!
  if (earlier !== null) {
    const { account } = earlier
    if (earlier.amount === amount && (account === null || account === (wanted.account ?? BANK)))
      return { kind: 'unchanged', result: { id: earlier.id, amount, transfer, repeated: true } }
    const at = earlier.created_at.toISOString()
    return refuse('reference_used', {
      sum: writeAmount(earlier.amount),
      booked: earlier.amount,
      id: earlier.id,
      at,
      account: account ?? '',
    })
  }
  const short = legs.some(
    ({ account, amount: change }) => guardedAccounts.has(account) && balances.get(account)! + change < 0,
  )
  if (short) return refuse('insufficient_funds')
  const posting = postTransaction({ ...about, subject_id: id, operation, legs })
  const naming = reference === null ? [] : [nameFilling({ ...about, id, operation, reference, amount })]
  return {
    kind: 'accepted',
    effects: [posting, ...naming],
    result: { id, amount, transfer: transfer + amount, repeated: false },
    subject: id,
    after: { amount, reference },
  }
}

const nameFilling = defineEffect<Tenant & store.NewFilling>('new row', (tx, fillings) => {
  for (const { merchant_id, livemode, ...filling } of fillings)
    store.insertFilling(tx, { merchant_id, livemode }, filling)
})
