import { setTimeout as sleep } from 'node:timers/promises'
import type { refuse } from '../../acts/act.ts'
import { type ActDeps, performAct } from '../../acts/perform.ts'
import { TableRefused } from '../../platform/tables/table-refused.ts'
import type { Actor } from '../../values/actor.ts'
import { newId } from '../../values/ids.ts'
import type { StatementOptions } from '../read-statement.ts'
import * as files from './file-store.ts'
import { TRIES_MAX } from './give-up.ts'
import { type Inspected, inspectFile } from './inspect-file.ts'
import type { AccountKey, FileRow, StatementAccount } from './statement-file.ts'
import { openBytes, type StoredBytes, storeBytes } from './stored-bytes.ts'
import { type ReadFile, type TakeDeps, takeFile } from './take-file.ts'
import { tryFile } from './try-file.ts'
import { type ReadingDeps, writeLines } from './write-lines.ts'

export type ImportDeps = ReadingDeps & ActDeps & Pick<TakeDeps, 'lockAccount'>

/** A file to import. */
export type FileGiven = {
  readonly account: StatementAccount
  readonly source: 'file' | 'api'
  readonly content: AsyncIterable<Uint8Array>
  /** The profile that the person or the account names, or the titles decide. */
  readonly profile: StatementOptions['profile']
  /** The period for which the file is complete. Null: from its first to its last line. */
  readonly period: { readonly from: string; readonly to: string } | null
}

export type Imported =
  | { readonly kind: 'imported'; readonly file: FileRow; readonly is_repeated: boolean }
  | { readonly kind: 'tried'; readonly file: FileRow }
  | { readonly kind: 'refused'; readonly file: FileRow; readonly line: number | null }
  | ReturnType<typeof refuse>

/** How long an import waits for another one of the same account. */
const TURN_MS = 600_000
const LOOK_MS = 100

/**
 * Imports a statement file: stores its bytes, reads it to its end, and only then writes its lines, in chunks that commit apart. After a kill the sweep goes
 * on from the stored bytes. A refused file leaves its hash and its faults, and no line.
 * @param by the person. With `dry_run` nothing is written
 */
export async function importFile(
  deps: ImportDeps,
  given: FileGiven,
  by: Actor,
  { dry_run }: { dry_run: boolean },
): Promise<Imported> {
  const { account } = given
  const id = newId('stf', deps.clock.milliseconds())
  const stored = await storedOrRefused(deps, id, given)
  const before = await files.findFileByHash(deps.sql, account, stored.hash)
  if (before !== null)
    return { kind: 'imported', file: dry_run ? before : await awaitFile(deps, before), is_repeated: true }
  const { inspected, opening } =
    'refusal' in stored ? { inspected: stored.refusal, opening: null } : await inspect(deps, given, id, stored)
  const file = fileOf(given, id, stored, inspected, opening)
  const line = inspected.kind === 'refused' ? inspected.line : null
  if (dry_run) {
    const tried = { ...file, imported_by: by.person, imported_at: deps.clock.now(), ended_at: null }
    if (inspected.kind === 'refused') return { kind: 'refused', file: tried, line }
    return { kind: 'tried', file: { ...tried, counts: await tryFile(deps, account, tried, file.pieces) } }
  }
  const taken = await takeInTurn(deps, file, given, by)
  if (taken.kind === 'refused') return taken
  const { file: row, is_repeated } = taken.result
  if (is_repeated) return { kind: 'imported', file: await awaitFile(deps, row), is_repeated }
  if (row.status === 'refused') return { kind: 'refused', file: row, line }
  await writeLines(deps, id)
  return { kind: 'imported', file: (await files.readFile(deps.sql, id))!, is_repeated: false }
}

type Stored = StoredBytes & { readonly refusal?: Extract<Inspected, { kind: 'refused' }> }

/** A file beyond our limits is refused before it is whole; its hash is then that of nothing. */
async function storedOrRefused({ key }: ImportDeps, id: string, { content }: FileGiven): Promise<Stored> {
  try {
    return await storeBytes(key, id, content)
  } catch (error) {
    if (!(error instanceof TableRefused)) throw error
    const refusal = { kind: 'refused', code: error.code, line: error.line, faults: [] } as const
    return { pieces: [], hash: Buffer.alloc(32), bytes: 0, refusal }
  }
}

/** Reads the file to its end. Where only balances show fees, it reads it again with the balance that the day before closed with. */
async function inspect(
  { sql, key, clock }: ImportDeps,
  { account, profile }: FileGiven,
  id: string,
  { pieces }: StoredBytes,
): Promise<{ inspected: Inspected; opening: number | null }> {
  const read = (options: Pick<StatementOptions, 'profile' | 'opening'>) => {
    const source = openBytes(key, id, async (piece) => pieces[piece] ?? null)
    const number = account.number === null ? {} : { account: account.number }
    return inspectFile(source, { ...options, ...number }, clock.now())
  }
  const inspected = await read({ profile })
  if (inspected.kind === 'refused' || inspected.profile.arithmetic !== 'from_balance' || inspected.from === null)
    return { inspected, opening: null }
  const before = await files.readClosingBefore(sql, account, inspected.from)
  const isDayBefore = before !== null && Date.parse(inspected.from) - Date.parse(before.last_day) === 86_400_000
  if (!isDayBefore) return { inspected, opening: null }
  return { inspected: await read({ profile: inspected.profile, opening: before.closing }), opening: before.closing }
}

function fileOf(
  { account: { account, livemode }, source, period }: FileGiven,
  id: string,
  { pieces, hash, bytes }: StoredBytes,
  inspected: Inspected,
  opening: number | null,
): Omit<ReadFile, 'ended_at'> & { ended_at: null } {
  const common = { id, account, livemode, source, hash, bytes, opening, counts: null, ended_at: null } as const
  const of_period = { period_from: period?.from ?? null, period_to: period?.to ?? null }
  if (inspected.kind === 'refused') {
    const { code: refusal } = inspected
    const none = { settings: null, found: null, first_day: null, last_day: null, pieces: [] }
    return { ...common, ...of_period, ...none, status: 'refused', refusal }
  }
  const { found, profile: settings, from: first_day, to: last_day } = inspected
  return { ...common, ...of_period, settings, found, first_day, last_day, status: 'reading', refusal: null, pieces }
}

/** Takes the file when no other of its account is being read. One that nobody holds any more is read here first. */
async function takeInTurn(deps: ImportDeps, file: ReadFile, { account, period }: FileGiven, by: Actor) {
  const values = {
    account: account.account,
    mode: account.livemode ? 'live' : 'test',
    day: period?.from ?? null,
    to: period?.to ?? null,
  }
  const until = performance.now() + TURN_MS
  for (;;) {
    const taken = await performAct(takeFile, { ...deps, file }, { by, values, within: {} }, null)
    if (taken.kind === 'ask_again') throw new Error('An import needs no factor.')
    if (taken.kind !== 'refused' || taken.code !== 'account_busy' || performance.now() > until) return taken
    await giveTurn(deps, account)
  }
}

/** Waits until a file that somebody else reads is counted. */
async function awaitFile(deps: ImportDeps, { id, livemode, account }: FileRow): Promise<FileRow> {
  const until = performance.now() + TURN_MS
  for (;;) {
    const file = (await files.readFile(deps.sql, id))!
    if (file.status !== 'reading' || performance.now() > until) return file
    await giveTurn(deps, { livemode, account })
  }
}

/**
 * Waits a moment for the file that is being read, or reads it in place of a process that died. If that fails, the sweep tries again and says why, and gives it up
 * in the end.
 */
async function giveTurn(deps: ImportDeps, account: AccountKey): Promise<void> {
  const reading = await files.readReading(deps.sql, account)
  if (reading === null) return
  const isLeft = reading.is_held || reading.tries >= TRIES_MAX
  const [taken] = isLeft ? [] : await files.takeAbandoned(deps.sql, reading.id)
  const isDone =
    taken !== undefined &&
    (await writeLines(deps, taken.id).then(
      () => true,
      () => false,
    ))
  if (!isDone) await sleep(LOOK_MS)
}
