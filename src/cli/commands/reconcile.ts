import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { refusalOf } from '../../acts/act.ts'
import { createImportDeps } from '../../app/statement-reading.ts'
import { readAccounts } from '../../external-accounts/store.ts'
import { readConnectorStatement } from '../../operators/contracts/check-connector.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { countAbsent } from '../../reconciliation/differences/absence-store.ts'
import { readProposedLines } from '../../reconciliation/proposed-lines.ts'
import { listFiles, readFile } from '../../statement-files/import/file-store.ts'
import { type FileGiven, type ImportDeps, importFile } from '../../statement-files/import/import-file.ts'
import { findLinePlace, readLines } from '../../statement-files/import/line-store.ts'
import { readProfilesInForce } from '../../statement-files/import/profile-store.ts'
import {
  type Absent,
  type FileRow,
  type StatementAccount,
  viewFile,
} from '../../statement-files/import/statement-file.ts'
import { viewLine } from '../../statement-files/import/statement-line.ts'
import { takeFile } from '../../statement-files/import/take-file.ts'
import { adviceOn } from '../../statement-files/refusal-words.ts'
import type { LineState } from '../../statement-files/states.ts'
import { isDay, periodOf } from '../../values/period.ts'
import { type Command, CommandError, defineCommand, idOf, readInteger, readMode } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { connectorDeps } from './connector.ts'

const account = {
  kind: 'optional',
  value: 'C',
  says: 'the account, as external-account list shows it',
  sample: 'wave',
} as const
const mode = { kind: 'optional', says: 'the mode; otherwise live', choices: ['test', 'live'], sample: 'live' } as const
const day = { kind: 'optional', value: 'DAY', says: 'the day, such as 2026-11-30', sample: '2026-11-30' } as const
const LIMIT_MAX = 500
const limit = {
  kind: 'optional',
  value: 'N',
  says: `the most rows, 1 to ${LIMIT_MAX}; otherwise 50`,
  sample: '20',
} as const

const reconcileImport = defineCommand({
  name: 'reconcile import',
  summary: takeFile.summary,
  details:
    'The file is read to its end before a line of it is written, and no money moves. The same bytes again change nothing. Without --file the operator is asked ' +
    'for the movements of the day. Without --profile the account or the titles of the file decide. After a kill the service goes on by itself.',
  right: takeFile.right,
  options: {
    account,
    connector: {
      kind: 'optional',
      value: 'N',
      says: 'in place of --account: the connector of a wallet',
      sample: 'wave',
    },
    mode,
    day: { ...day, says: 'the day, or the first one, for which the file is complete' },
    to: { ...day, says: 'the last such day; otherwise the first' },
    file: { kind: 'optional', value: 'FILE', says: 'the file; - reads standard input', sample: 'wave-2026-11-30.csv' },
    profile: {
      kind: 'optional',
      value: 'P',
      says: 'how it is written, as profile list shows it',
      sample: 'wave_csv_fr',
    },
    'dry-run': { kind: 'flag', says: 'count what an import would find, and write nothing' },
    as: 'optional',
  },
  example: '--account wave --file wave-2026-11-30.csv',
  async run(context, { account, connector, mode, day, to, file, profile, 'dry-run': dry_run, as }) {
    const sql = await context.sql()
    const deps = createImportDeps({ sql, secretKey: await context.secretKey(), clock: context.clock })
    const its = await findAccount(deps, { account, connector, livemode: readMode(mode ?? 'live') })
    const period = readPeriod(day, to)
    const given: FileGiven = {
      ...{ account: its, period },
      ...(file === undefined
        ? { source: 'api', content: await pulledFrom(context, its, period) }
        : { source: 'file', content: await contentOf(file) }),
      profile: await findProfile(context, profile ?? its.profile ?? undefined),
    }
    const imported = await importFile(deps, given, context.actor(as), { dry_run })
    if (imported.kind === 'refused') throw refusedImport(imported)
    const { file: row } = imported
    if (imported.kind === 'tried') return viewFile({ ...row, id: null, status: 'dry_run' })
    return viewFile(row, imported.is_repeated, await absentIn(sql, row))
  },
})

/** The differences of a counted file about what it should show and does not. */
async function absentIn(db: Db, file: FileRow): Promise<Absent> {
  const [from, to] = [file.period_from ?? file.first_day, file.period_to ?? file.last_day]
  if (file.status !== 'counted' || from === null || to === null) return { missing_there: 0, file_missing: 0 }
  return countAbsent(db, file, { from, to })
}

function refusedImport(refused: Extract<Awaited<ReturnType<typeof importFile>>, { kind: 'refused' }>): CommandError {
  if ('code' in refused) return new CommandError(refusalOf(takeFile, refused.code).command)
  const { file, line } = refused
  const at = line === null ? '' : ` (row ${line})`
  return new CommandError(`${adviceOn(file.refusal!)}${at}`, 1, viewFile(file))
}

/** Asks the operator for the movements of a day. */
async function pulledFrom(
  context: CommandContext,
  { connector }: StatementAccount,
  period: FileGiven['period'],
): Promise<AsyncIterable<Uint8Array>> {
  if (connector === null) throw new CommandError('Only the operator of a wallet can be asked. Give --file.', 2)
  if (period === null || period.from !== period.to)
    throw new CommandError('Without --file the operator is asked for one day: give --day.', 2)
  const { sql, surroundings } = await connectorDeps(context)
  const read = await readConnectorStatement(sql, surroundings, connector, period.from)
  if (read.kind === 'fails') throw new CommandError(read.problem[1])
  if (read.kind !== 'read')
    throw new CommandError(`The operator of ${connector} lists no movements by its API. Give its file with --file.`)
  return read.content
}

async function contentOf(file: string): Promise<AsyncIterable<Uint8Array>> {
  if (file === '-') return process.stdin
  const found = await stat(file).catch(() => null)
  if (found === null || !found.isFile()) throw new CommandError(`There is no file ${file}.`)
  return createReadStream(file)
}

function readPeriod(day: string | undefined, to: string | undefined): FileGiven['period'] {
  if (day === undefined && to === undefined) return null
  const period = day === undefined ? null : periodOf(day, to ?? day)
  if (period === null)
    throw new CommandError('--day and --to must be days such as 2026-11-30, and --day must not be after --to.', 2)
  return period
}

async function findAccount(
  { sql, findAccount }: ImportDeps,
  { account, connector, livemode }: { account: string | undefined; connector: string | undefined; livemode: boolean },
): Promise<StatementAccount> {
  if ((account === undefined) === (connector === undefined)) throw new CommandError('Give --account or --connector.', 2)
  const codes =
    account === undefined
      ? (await readAccounts(sql, livemode)).filter((one) => one.connector === connector).map(({ code }) => code)
      : [account]
  const found = await Promise.all(codes.map((code) => findAccount(sql, { livemode, account: code })))
  if (found.length === 1 && found[0] != null) return found[0]
  const named = account === undefined ? `of the connector ${connector}` : account
  if (found.length > 1)
    throw new CommandError(`The connector ${connector} has several wallets. Name one with --account.`)
  throw new CommandError(
    `There is no external account ${named} in ${livemode ? 'live' : 'test'} mode. bandama external-account list shows them.`,
  )
}

/** Without a name the titles decide among the profiles in force; those that people set come first. */
async function findProfile(context: CommandContext, name: string | undefined): Promise<FileGiven['profile']> {
  const inForce = await readProfilesInForce(await context.sql())
  if (name === undefined) return [...inForce.values()].toReversed()
  const profile = inForce.get(name)
  if (profile === undefined) throw new CommandError(`There is no profile ${name}. bandama profile list shows them.`)
  return profile
}

const reconcileFiles = defineCommand({
  name: 'reconcile files',
  summary: 'Show the statement files of an account, newest first',
  options: { account, mode, day: { ...day, says: 'only files that show this day' }, limit },
  table: {
    rows: 'files',
    columns: ['file_id', 'account', 'status', 'from', 'to', 'rows', 'known', 'matched', 'waiting', 'profile'],
    empty: 'There are no statement files yet: bandama reconcile import brings one.',
  },
  async run(context, { account, mode, day, limit }) {
    if (day !== undefined && !isDay(day)) throw new CommandError('--day must be a day such as 2026-11-30.', 2)
    const wanted = { livemode: readMode(mode ?? 'live'), account: account ?? null, day: day ?? null }
    const files = await listFiles(await context.reads(), { ...wanted, limit: readLimit(limit) })
    const db = await context.reads()
    return {
      files: await Promise.all(files.map(async (file) => viewFile(file, false, await absentIn(db, file)))),
    }
  },
})

const readLimit = (limit: string | undefined) => (limit === undefined ? 50 : readInteger('limit', limit, 1, LIMIT_MAX))

const states: readonly LineState[] = ['unmatched', 'matched', 'grouped', 'explained', 'withdrawn']

const reconcileLines = defineCommand({
  name: 'reconcile lines',
  summary: 'Show the lines of a statement file, or of an account and day, by day',
  options: {
    file: { ...idOf('stf', 'statement file'), kind: 'optional' },
    account,
    mode,
    day,
    state: { kind: 'optional', says: 'only lines in this state', choices: states },
    limit,
    after: { kind: 'optional', value: 'ID', says: 'continue after this line, the last one shown' },
  },
  example: '--account wave --day 2026-11-30 --state unmatched',
  table: {
    rows: 'lines',
    columns: ['id', 'day', 'direction', 'class', 'gross', 'fee', 'effect', 'state', 'kind', 'subject_id', 'reference'],
    empty: 'There are no such lines.',
  },
  async run(context, { file, account, mode, day, state, limit, after }) {
    const db = await context.reads()
    const where = await whereOf(context, { file, account, mode, day })
    const most = readLimit(limit)
    const proposed = file === undefined ? null : await proposedIn(db, file)
    if (proposed !== null) {
      const rest = proposed.slice(after === undefined ? 0 : proposed.findIndex(({ id }) => id === after) + 1)
      const lines = state === undefined || state === 'unmatched' ? rest.slice(0, most) : []
      return { lines, next: rest.length > most ? (lines.at(-1)?.id ?? null) : null }
    }
    const place = after === undefined ? null : await findLinePlace(db, after)
    if (after !== undefined && place === null) throw new CommandError(`There is no line ${after}.`)
    if (where === null) return { lines: [], next: null }
    const rows = await readLines(db, {
      ...where,
      state: (state as LineState | undefined) ?? null,
      after: place,
      limit: most + 1,
    })
    const lines = rows.slice(0, most)
    return { lines: lines.map(viewLine), next: rows.length > most ? lines.at(-1)!.id : null }
  },
})

/** The typed lines that wait for a second person. Null: the file is no such file. */
async function proposedIn(db: Db, id: string) {
  const file = await readFile(db, id)
  return file?.status === 'proposed' ? readProposedLines(db, file) : null
}

/** The account and days of the wanted lines. Null: the file has none. */
async function whereOf(
  context: CommandContext,
  {
    file,
    account,
    mode,
    day,
  }: { file: string | undefined; account: string | undefined; mode: string | undefined; day: string | undefined },
) {
  if (file !== undefined && account === undefined && day === undefined) {
    const found = await readFile(await context.reads(), file)
    if (found === null)
      throw new CommandError(`There is no statement file ${file}. bandama reconcile files shows them.`)
    const { livemode, first_day, last_day } = found
    if (first_day === null || last_day === null) return null
    return { livemode, account: found.account, from: first_day, to: last_day, file_id: file }
  }
  if (file !== undefined || account === undefined || day === undefined || !isDay(day))
    throw new CommandError('Give --file alone, or --account with --day, a day such as 2026-11-30.', 2)
  return { livemode: readMode(mode ?? 'live'), account, from: day, to: day, file_id: null }
}

export const commands: readonly Command[] = [reconcileImport, reconcileFiles, reconcileLines]
