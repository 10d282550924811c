import { type ActDecision, defineAct, refuse, service } from '../acts/act.ts'
import type { ActProposal } from '../acts/proposal.ts'
import { addProposal, readWaitingProposal } from '../acts/proposal-store.ts'
import { WHOLE_SERVICE } from '../audit-log/record-act.ts'
import { readAccounts } from '../external-accounts/store.ts'
import type { Clock } from '../platform/clock.ts'
import { countTyped, dropTyped } from '../statement-files/import/end-typed.ts'
import { addFile, findFileByHash, readReading } from '../statement-files/import/file-store.ts'
import { lockStatements } from '../statement-files/import/find-account.ts'
import type { FileRow } from '../statement-files/import/statement-file.ts'
import { addsUp, readTypedLines, type TypedDay, typedFile } from '../statement-files/import/typed-lines.ts'
import { newId } from '../values/ids.ts'
import { accountField, accountIn, balanceField, dayField, modeField } from './account-fields.ts'
import { defineProposalKind, proposalFacts } from './proposal-kind.ts'

const { account, day, opening, closing, rows, file } = proposalFacts
const facts = { account, day, opening, closing, rows, file }

type ToCount = TypedDay & { readonly file: string }

/** The file with the proposal that waits for it. Null: it is decided. */
export type Typed = { readonly file: FileRow; readonly is_repeated: boolean; readonly proposal_id: string | null }

/** Proposes the lines of a day that a person typed from a statement on paper. Another person decides, and until then no line is written. */
export const typeLines = defineAct({
  name: 'reconcile.type',
  summary: 'Propose the typed lines of a day of an account; needs a person other than the typist',
  title: ['Saisir un relevé', 'Type a statement'],
  right: 'adjustments.manage',
  fresh: true,
  on: service,
  fields: {
    account: accountField,
    day: dayField(day, 'the day of the lines'),
    opening: balanceField(opening, 'the balance before the first line, in francs'),
    closing: balanceField(closing, 'the balance after the last line, in francs'),
    mode: modeField,
  },
  async load(tx, { values }, { clock, lines }: { readonly clock: Clock; readonly lines: string }) {
    const found = accountIn(await readAccounts(tx, null), values.account, values.mode)
    const livemode = found?.livemode ?? values.mode !== 'test'
    const about = { merchant_id: WHOLE_SERVICE, livemode }
    const is_over = values.day < clock.now().toISOString().slice(0, 10)
    const read = readTypedLines(lines)
    const { account, day, opening, closing } = values
    const typed: TypedDay | null =
      'fault' in read ? null : { livemode, account, day, opening, closing, lines: read.lines }
    const [file_id, id] = [newId('stf', clock.milliseconds()), newId('rcp', clock.milliseconds())]
    const file = typed === null ? null : typedFile(typed, file_id, '', clock.now())
    const before = file === null ? null : await findFileByHash(tx, file, file.hash)
    const waiting = before === null ? null : await readWaitingProposal(tx, about, 'reconcile.type', before.id)
    return { about, is_known: found !== null, is_over, read, typed, file, before, waiting, id }
  },
  facts,
  content: ({ typed }, { account, day, opening, closing }) => ({
    ...{ account, day, opening, closing, rows: String(typed?.lines.length ?? 0), file: null },
  }),
  note: () => ['Une deuxième personne décide.', 'A second person decides.'],
  decide(
    { by, values },
    { about, is_known, is_over, read, typed, file, before, waiting, id },
    now,
  ): ActDecision<Typed, 'no_account' | 'day_not_over' | 'unreadable' | 'not_added_up' | 'waits'> {
    if (!is_known) return refuse('no_account')
    if (!is_over) return refuse('day_not_over')
    if ('fault' in read) return refuse('unreadable', { row: read.fault, part: read.part })
    if (typed === null || file === null || !addsUp(typed)) return refuse('not_added_up')
    if (before !== null)
      return { kind: 'unchanged', result: { file: before, is_repeated: true, proposal_id: waiting?.id ?? null } }
    const row: FileRow = { ...file, imported_by: by.person, imported_at: now }
    const { account, day, opening, closing } = values
    const content = { account, day, opening, closing, rows: String(typed.lines.length), file: row.id }
    const of: ToCount = { ...typed, file: row.id }
    const proposal = {
      ...{ ...about, id, act: 'reconcile.type' as const, subject: row.id, key: row.id, amount: null },
      ...{ typed: of, content, sealed: null, proposed_by: by.person, proposed_at: now },
    }
    return {
      kind: 'accepted',
      effects: [addFile({ ...row, pieces: [] }), addProposal(proposal)],
      result: { file: row, is_repeated: false, proposal_id: id },
      subject: id,
      after: { account, day, opening, closing, rows: typed.lines.length, file: row.id },
    }
  },
  refusals: {
    no_account: {
      at: 'account',
      words: ['Il n’y a pas de tel compte.', 'There is no such account.'],
      command: 'There is no account {account}. bandama external-account list shows them.',
    },
    day_not_over: { at: 'day', words: ['Ce jour n’est pas fini.', 'This day is not over.'] },
    unreadable: [
      'La ligne {row} n’est pas lisible : {part}.',
      'Line {row} cannot be read: {part}. Lines are a JSON list of effect, fee, reference, our_reference, text and class.',
    ],
    waits: ['Ces lignes sont saisies déjà.', 'These lines are typed already.'],
    not_added_up: [
      'L’ouverture et les lignes ne donnent pas la clôture.',
      'The opening balance and the lines do not add up to the closing balance.',
    ],
  },
  conflicts: { statement_files_bytes: 'waits' },
})

/** A second person lets typed lines count. While a file of the account is being read, it is refused. */
export const typing = defineProposalKind({
  act: 'reconcile.type',
  lock: (tx, { typed }: ActProposal<ToCount>) => lockStatements(tx, typed),
  load: async (tx, { typed }) => ({ reading: await readReading(tx, typed) }),
  content: ({ typed: { account, day, opening, closing, lines, file } }) => ({
    ...{ account, day, opening, closing, rows: String(lines.length), file },
  }),
  approve({ typed: { file, ...typed } }, { reading }) {
    if (reading !== null) return refuse('account_busy')
    const after = { file, status: 'counted' }
    return { effects: [countTyped({ file_id: file, typed })], row: { outcome: file }, after }
  },
  refused: ({ typed: { file } }) => ({
    effects: [dropTyped({ file_id: file, trigger: 'refused_by_second_person' })],
    after: { file },
  }),
  ended: ({ typed: { file } }, trigger) => [dropTyped({ file_id: file, trigger })],
  refusals: {
    account_busy: [
      'Un fichier de ce compte est en cours de lecture. Réessayez dans une minute.',
      'A file of this account is being read. Try again in a minute.',
    ],
  },
})
