import { type ActDecision, defineAct, refuse, service } from '../../acts/act.ts'
import { choiceField, type Field, lineField, oneOf, optional, text } from '../../acts/facts.ts'
import { WHOLE_SERVICE } from '../../audit-log/record-act.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { isDay } from '../../values/period.ts'
import { addFile, findFileByHash, type NewFile, readReading } from './file-store.ts'
import { type AccountKey, type FileRow, rowsIn, type StatementAccount } from './statement-file.ts'

/** A file that was read to its end, before it is written. */
export type ReadFile = Omit<NewFile, 'imported_by' | 'imported_at'>

export type TakeDeps = {
  /** Locks the account until the transaction ends, so that its files are taken one after the other. Null: there is none. */
  readonly lockAccount: (tx: Tx, key: AccountKey) => Promise<StatementAccount | null>
  readonly file: ReadFile
}

const accountField = lineField(text(['Compte', 'Account']), {
  label: ['Compte', 'Account'],
  longest: 40,
  fault: ['Écrivez le code d’un compte.', 'Write the code of an account.'],
  option: { value: 'C', says: 'the account, as external-account list shows it', sample: 'wave' },
})

const modeWords = { live: ['Réel', 'Live'], test: ['Test', 'Test'] } as const
const modeChoice = choiceField(oneOf(['Mode', 'Mode'], modeWords), {
  label: ['Mode', 'Mode'],
  choices: modeWords,
  fault: ['Choisissez un mode.', 'Choose a mode.'],
  says: 'the mode; otherwise live',
})

const modeField = { ...modeChoice, option: { ...modeChoice.option, absent: 'live' as const } }

const dayField = (name: readonly [string, string], says: string): Field<string | null> =>
  optional({
    ...text([...name]),
    read: (typed: string) => (isDay(typed) ? typed : undefined),
    form: { label: [...name], kind: 'day', fault: ['Écrivez un jour.', 'Write a day.'] },
    option: { value: 'DAY', says, sample: '2026-11-30', must: 'must be a day such as 2026-11-30.' },
  })

/**
 * Stores a file of an account, with its bytes. It moves no money and ends no order: its lines are written after it, and count once all are. The same bytes
 * are one file: a second import changes nothing.
 */
export const takeFile = defineAct({
  name: 'reconcile.import',
  summary: 'Import a statement of an operator or a bank; no money moves',
  title: ['Importer un relevé', 'Import a statement'],
  right: 'statements.import',
  fresh: false,
  on: service,
  fields: {
    account: accountField,
    mode: modeField,
    day: dayField(['Premier jour', 'First day'], 'the day, or the first one, for which the file is complete'),
    to: dayField(['Dernier jour', 'Last day'], 'the last such day; otherwise the first'),
  },
  async load(tx, { values }, { lockAccount, file }: TakeDeps) {
    const account = await lockAccount(tx, { livemode: values.mode === 'live', account: values.account })
    if (account === null) return null
    const repeated = await findFileByHash(tx, account, file.hash)
    const reading = repeated === null ? await readReading(tx, account) : null
    return { about: { merchant_id: WHOLE_SERVICE, livemode: account.livemode }, file, repeated, reading }
  },
  facts: { account: text(['Compte', 'Account']), hash: text(['SHA-256', 'SHA-256']) },
  content: ({ file }) => ({ account: file.account, hash: file.hash.toString('hex') }),
  decide(
    { by },
    { file, repeated, reading },
    now,
  ): ActDecision<{ readonly file: FileRow; readonly is_repeated: boolean }, 'account_busy'> {
    if (repeated !== null) return { kind: 'unchanged', result: { file: repeated, is_repeated: true } }
    if (reading !== null && file.status === 'reading') return refuse('account_busy')
    const row: NewFile = {
      ...file,
      imported_by: by.person,
      imported_at: now,
      ended_at: file.status === 'refused' ? now : null,
    }
    const { pieces: _, ...result } = row
    const { account, source, status, refusal, first_day, last_day, found } = row
    const rows = found === null ? 0 : rowsIn(found.totals)
    return {
      kind: 'accepted',
      effects: [addFile(row)],
      result: { file: result, is_repeated: false },
      subject: row.id,
      after: { account, source, status, refusal, first_day, last_day, rows, hash: row.hash.toString('hex') },
    }
  },
  refusals: {
    account_busy: [
      'Un autre fichier de ce compte est en cours de lecture. Réessayez dans une minute.',
      'Another file of this account is being read. Try again in a minute.',
    ],
  },
  unknown: 'There is no external account {account}. bandama external-account list shows them.',
  conflicts: { statement_files_reading: 'account_busy', statement_files_bytes: 'account_busy' },
})
