import { type ActDecision, defineAct, refuse, service } from '../acts/act.ts'
import { lineField, reasonField } from '../acts/facts.ts'
import { type ActProposal, type Waits, waitsFor } from '../acts/proposal.ts'
import { addProposal, readWaitingProposal } from '../acts/proposal-store.ts'
import { WHOLE_SERVICE } from '../audit-log/record-act.ts'
import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { lockFile, readFile, readReading } from '../statement-files/import/file-store.ts'
import { lockStatements } from '../statement-files/import/find-account.ts'
import { hasBooked } from '../statement-files/import/line-store.ts'
import { type FileRow, rowsIn } from '../statement-files/import/statement-file.ts'
import { withdrawFile } from '../statement-files/import/withdraw-file.ts'
import { newId } from '../values/ids.ts'
import { defineProposalKind, proposalFacts } from './proposal-kind.ts'
import { servesDeposit } from './store.ts'

/** The withdrawal of a file as the first person typed it, with its place. */
type ToWithdraw = {
  readonly livemode: boolean
  readonly account: string
  readonly file: string
  readonly reason: string
}

const { account, file, from, to, rows, reason } = proposalFacts
const facts = { account, file, from, to, rows, reason }

const contentOf = (row: FileRow, why: string) => ({
  ...{ account: row.account, file: row.id, from: row.first_day, to: row.last_day },
  ...{ rows: row.found === null ? null : String(rowsIn(row.found.totals)), reason: why },
})

/** Proposes to take back a file that was wrong. Another person decides, and until then nothing changes. */
export const proposeWithdrawal = defineAct({
  name: 'reconcile.withdraw',
  summary: 'Propose to take back a wrong statement file; lines that no other file shows go',
  title: ['Retirer un relevé', 'Withdraw a statement file'],
  right: 'adjustments.manage',
  fresh: true,
  on: service,
  fields: {
    file: lineField(file, {
      label: file.name,
      longest: 40,
      fault: ['Écrivez l’identifiant d’un relevé.', 'Write the id of a statement file.'],
      option: { value: 'stf_…', says: 'the statement file', sample: 'stf_01k9zp3v6hfa8r2m4n5q7w8xyz' },
    }),
    reason: reasonField(['Pourquoi', 'Why']),
  },
  async load(tx, { values: { file } }, { clock }: { clock: Clock }) {
    const found = await readFile(tx, file)
    const about = { merchant_id: WHOLE_SERVICE, livemode: found?.livemode ?? true }
    const waiting = await readWaitingProposal(tx, about, 'reconcile.withdraw', file)
    return { about, found, waiting, id: newId('rcp', clock.milliseconds()) }
  },
  facts,
  content: ({ found }, { file, reason }) =>
    found === null ? { account: null, file, from: null, to: null, rows: null, reason } : contentOf(found, reason),
  note: () => ['Une deuxième personne décide.', 'A second person decides.'],
  decide(
    { by, values: { file, reason } },
    { about, found, waiting, id },
    now,
  ): ActDecision<Waits, 'no_file' | 'not_counted' | 'waits'> {
    if (found === null) return refuse('no_file')
    if (found.status !== 'counted') return refuse('not_counted', { status: found.status })
    if (waiting !== null) return refuse('waits')
    const typed: ToWithdraw = { livemode: found.livemode, account: found.account, file, reason }
    const proposal = {
      ...{ ...about, id, act: 'reconcile.withdraw' as const, subject: file, key: file, amount: null },
      ...{ typed, content: contentOf(found, reason), sealed: null, proposed_by: by.person, proposed_at: now },
    }
    const result = waitsFor(proposal)
    return { kind: 'accepted', effects: [addProposal(proposal)], result, subject: id, after: { file } }
  },
  refusals: {
    no_file: {
      at: 'file',
      words: ['Il n’y a pas de tel relevé.', 'There is no such statement file.'],
      command: 'There is no statement file {file}. bandama reconcile files shows them.',
    },
    not_counted: {
      at: 'file',
      words: ['Ce relevé n’est pas compté : {status}.', 'This statement file is not counted: {status}.'],
    },
    waits: {
      at: 'file',
      words: ['Le retrait de ce relevé attend déjà.', 'The withdrawal of this statement file waits already.'],
    },
  },
  conflicts: { act_proposals_standing: 'waits' },
})

/** A second person takes the file back. It waits for no import: while one runs on the account, it is refused. */
export const withdrawal = defineProposalKind({
  act: 'reconcile.withdraw',
  async lock(tx: Tx, { typed }: ActProposal<ToWithdraw>) {
    await lockStatements(tx, typed)
    await lockFile(tx, typed.file)
  },
  async load(tx, { typed }) {
    const found = (await readFile(tx, typed.file))!
    const is_decided = await hasBooked(tx, found)
    return { found, reading: await readReading(tx, typed), is_decided, serves: await servesDeposit(tx, typed.file) }
  },
  content: ({ typed }, { found }) => contentOf(found, typed.reason),
  approve({ typed: { file } }, { found, reading, is_decided, serves }) {
    if (found.status !== 'counted') return refuse('not_counted', { status: found.status })
    if (reading !== null) return refuse('account_busy')
    if (is_decided) return refuse('line_decided')
    if (serves) return refuse('serves_deposit')
    return { effects: [withdrawFile(found)], row: { outcome: file }, after: { file, status: 'withdrawn' } }
  },
  refused: ({ typed: { file } }) => ({ effects: [], after: { file } }),
  refusals: {
    not_counted: ['Ce relevé n’est pas compté : {status}.', 'This statement file is not counted: {status}.'],
    line_decided: [
      'Deux personnes ont décidé d’une ligne de ce relevé : il reste.',
      'Two people decided about a line of this statement file: it stays.',
    ],
    serves_deposit: [
      'Une ligne de ce relevé a confirmé un dépôt : il reste. Corrigez le dépôt par un ajustement.',
      'A line of this file confirmed a deposit: the file stays. Correct the deposit by an adjustment.',
    ],
    account_busy: [
      'Un fichier de ce compte est en cours de lecture. Réessayez dans une minute.',
      'A file of this account is being read. Try again in a minute.',
    ],
  },
})
