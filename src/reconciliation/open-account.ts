import { type ActDecision, defineAct, type RefusalWords, refuse, service } from '../acts/act.ts'
import type { ActProposal, Waits } from '../acts/proposal.ts'
import { waitsFor } from '../acts/proposal.ts'
import { addProposal, readWaitingProposal } from '../acts/proposal-store.ts'
import { WHOLE_SERVICE } from '../audit-log/record-act.ts'
import { readAccounts } from '../external-accounts/store.ts'
import { HOUSE, heldIn } from '../ledger/accounts.ts'
import { postTransaction } from '../ledger/post.ts'
import { accountOpened } from '../ledger/postings.ts'
import { readHeldMoved } from '../ledger/store.ts'
import type { Clock } from '../platform/clock.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { newId } from '../values/ids.ts'
import { accountField, accountIn, balanceField, dayField, modeField } from './account-fields.ts'
import { booksAt } from './books-at.ts'
import { defineProposalKind, proposalFacts } from './proposal-kind.ts'
import * as store from './store.ts'

/** The opening as the first person typed it, with the mode of its account. */
type ToOpen = { readonly livemode: boolean; readonly account: string; readonly day: string; readonly balance: number }

const writeOpening = defineEffect<store.Opening>('new row', async (tx, openings) => {
  for (const opening of openings) await store.insertOpening(tx, opening)
})

const { account, day, balance, books, unexplained } = proposalFacts
const facts = { account, day, balance, books, unexplained }

/**
 * Reads the books of the day, and the opening that an account has already. `from`: the first day with all of its money in the books, when the day is
 * earlier; its money was in the accounts by operator then, and would be booked a second time. Null: the day can be taken.
 */
async function look(tx: Tx, { livemode, account, day }: Omit<ToOpen, 'balance'>) {
  const moved = await readHeldMoved(tx, livemode, heldIn(account))
  return {
    from: moved !== null && day < moved ? moved : null,
    books: await booksAt(tx, { livemode, account }, day),
    opened: await store.readOpening(tx, livemode, account),
  }
}

const openedAlready: RefusalWords = {
  at: 'account',
  words: ['Ce compte est ouvert depuis le {day}.', 'This account is open since {day}.'],
}

const dayBeforeBooks: RefusalWords = {
  at: 'day',
  words: [
    'Nos livres suivent l’argent de ce compte depuis le {from}. Choisissez ce jour ou un jour plus tard.',
    'Our books tell the money of this account since {from}. Choose that day or a later one.',
  ],
}

/** Proposes the day and the balance from which an account is compared with its statements. Another person decides, and nothing is booked until then. */
export const openAccount = defineAct({
  name: 'external_account.open',
  summary: 'Propose from which day and balance on an account is compared with its statements',
  title: ['Ouvrir un compte', 'Open an account'],
  right: 'adjustments.manage',
  fresh: true,
  on: service,
  fields: {
    account: accountField,
    day: dayField(day, 'the last day before the comparison'),
    balance: balanceField(balance, 'the closing balance of its statement on that day, in francs'),
    mode: modeField,
  },
  async load(tx, { values: { account: code, day, mode } }, { clock }: { clock: Clock }) {
    const account = accountIn(await readAccounts(tx, null), code, mode)
    const livemode = account?.livemode ?? mode !== 'test'
    const about = { merchant_id: WHOLE_SERVICE, livemode }
    const today = clock.now().toISOString().slice(0, 10)
    const is_over = day < today
    const seen = account === null || !is_over ? null : await look(tx, { livemode, account: code, day })
    const waiting = await readWaitingProposal(tx, about, 'external_account.open', code)
    return { about, is_known: account !== null, is_over, seen, waiting, id: newId('rcp', clock.milliseconds()) }
  },
  facts,
  content: ({ seen }, { account, day, balance }) => ({
    ...{ account, day, balance, books: seen?.books ?? null },
    unexplained: seen === null ? null : balance - seen.books,
  }),
  note: () => ['Une deuxième personne décide.', 'A second person decides.'],
  decide(
    { by, values: { account, day, balance } },
    { about, is_known, is_over, seen, waiting, id },
    now,
  ): ActDecision<Waits, 'no_account' | 'day_not_over' | 'day_before_books' | 'opened' | 'waits'> {
    if (!is_known) return refuse('no_account')
    if (!is_over || seen === null) return refuse('day_not_over')
    if (seen.opened !== null) return refuse('opened', { day: seen.opened.day })
    if (seen.from !== null) return refuse('day_before_books', { from: seen.from })
    if (waiting !== null) return refuse('waits')
    const typed: ToOpen = { livemode: about.livemode, account, day, balance }
    const content = { account, day, balance, books: seen.books, unexplained: balance - seen.books }
    const proposal = {
      ...{ ...about, id, act: 'external_account.open' as const, subject: account, key: account, amount: null },
      ...{ typed, content, sealed: null, proposed_by: by.person, proposed_at: now },
    }
    return {
      kind: 'accepted',
      effects: [addProposal(proposal)],
      result: waitsFor(proposal),
      subject: id,
      after: { account, day, balance },
    }
  },
  refusals: {
    no_account: {
      at: 'account',
      words: ['Il n’y a pas de tel compte.', 'There is no such account.'],
      command: 'There is no account {account}. bandama external-account list shows them.',
    },
    day_not_over: { at: 'day', words: ['Ce jour n’est pas fini.', 'This day is not over.'] },
    day_before_books: dayBeforeBooks,
    opened: openedAlready,
    waits: {
      at: 'account',
      words: ['L’ouverture de ce compte attend déjà.', 'The opening of this account waits already.'],
    },
  },
  conflicts: { act_proposals_standing: 'waits' },
})

/** A second person opens an account. */
export const opening = defineProposalKind({
  act: 'external_account.open',
  load: (tx, { typed }: ActProposal<ToOpen>) => look(tx, typed),
  content: ({ typed: { account, day, balance } }, { books }) => ({
    ...{ account, day, balance, books, unexplained: balance - books },
  }),
  approve({ id, livemode, typed: { account, day, balance } }, { books, opened, from }) {
    if (opened !== null) return refuse('opened', { day: opened.day })
    if (from !== null) return refuse('day_before_books', { from })
    const unexplained = balance - books
    const opening = { livemode, account, day, balance, unexplained, proposal_id: id }
    const legs = accountOpened({ account, unexplained })
    const about = { merchant_id: HOUSE, livemode, subject_id: id }
    const booked = unexplained === 0 ? [] : [postTransaction({ ...about, operation: 'account_opened', legs })]
    return {
      effects: [...booked, writeOpening(opening)],
      row: { outcome: account },
      after: { account, day, balance, unexplained },
    }
  },
  refused: ({ typed: { account, day, balance } }) => ({ effects: [], after: { account, day, balance } }),
  refusals: { opened: openedAlready, day_before_books: dayBeforeBooks },
})
