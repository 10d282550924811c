import { applyEffects } from '../../platform/commands/effects.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import type { Db, Sql, Tx } from '../../platform/postgres/database.ts'
import { matchByNumber, settleContested } from '../matching/match-file.ts'
import type { CarriedBy } from '../matching/match-lines.ts'
import { readStatement } from '../read-statement.ts'
import * as files from './file-store.ts'
import { LineNames } from './line-names.ts'
import { transitionFile } from './move-file.ts'
import { type AccountKey, type FileCounts, type FileRow, noCounts, type StatementAccount } from './statement-file.ts'
import { openBytes } from './stored-bytes.ts'
import { CHUNK_ROWS, isLine, type NamedRow, writeChunk } from './write-chunk.ts'

/** Chunks that are written at once: PostgreSQL takes three times as long as the reading. */
const IN_FLIGHT = 2

export type ReadingDeps = {
  readonly sql: Sql
  /** Of the stored bytes. */
  readonly key: Buffer
  readonly now: () => Date
  readonly findAccount: (db: Db, key: AccountKey) => Promise<StatementAccount | null>
  /** The orders that the accounts of one mode carry. */
  readonly readCarried: (db: Db, livemode: boolean) => Promise<CarriedBy>
  /** Compares the days of a file, and those of which it changed lines, with our books. */
  readonly compareFile: (tx: Tx, file: FileRow) => Promise<void>
}

/**
 * Reads a file from its stored bytes, writes the chunks that are not written yet, and counts it. The process that stored the bytes calls it, and after its
 * death the sweep does: both find the same rows.
 */
export async function writeLines(deps: ReadingDeps, file_id: string): Promise<void> {
  const { sql } = deps
  const file = await files.readFile(sql, file_id)
  if (file === null || file.status !== 'reading') return
  const account = (await deps.findAccount(sql, file))!
  const carried = await deps.readCarried(sql, file.livemode)
  const imported_on = file.imported_at.toISOString().slice(0, 10)
  await sql.begin((tx) => files.makeMonths(tx, file.first_day ?? imported_on, file.last_day ?? imported_on))
  const written = await files.readChunks(sql, file.id)
  const chunks = chunksOf(deps, file, account)
  await inFlight(chunks, async ({ chunk, rows }) => {
    if (!written.has(chunk)) await writeChunk(sql, carried, file, chunk, rows)
    await files.holdFile(sql, file.id)
  })
  if (file.first_day !== null) await matchByNumber(sql, carried, account, file)
  await files.holdFile(sql, file.id)
  crashPoint('before_file_counts')
  await countFile(deps, carried, file)
}

/** Cuts a stored file into chunks of rows with the names of their lines. */
async function* chunksOf(
  { sql, key }: ReadingDeps,
  file: FileRow,
  account: StatementAccount,
): AsyncGenerator<{ chunk: number; rows: NamedRow[] }> {
  const { number } = account
  const names = new LineNames(account)
  const source = openBytes(key, file.id, (piece) => files.readPiece(sql, file.id, piece))
  const rows = readStatement(source, {
    profile: file.settings!,
    ...(number === null ? {} : { account: number }),
    ...(file.opening === null ? {} : { opening: file.opening }),
  })
  let [chunk, waiting]: [number, NamedRow[]] = [0, []]
  for (;;) {
    const next = await rows.next()
    if (next.done) {
      if (next.value.kind === 'refused')
        throw new Error(`The stored bytes of ${file.id} are refused: ${next.value.code}`)
      break
    }
    const row = next.value
    waiting.push({ row, name: isLine(row) ? names.nameOf(row) : null })
    if (waiting.length < CHUNK_ROWS) continue
    yield { chunk, rows: waiting }
    chunk += 1
    waiting = []
  }
  if (waiting.length > 0) yield { chunk, rows: waiting }
}

/** Does the work of each item, a few at a time, and stops at the first failure. */
async function inFlight<Item>(items: AsyncGenerator<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const running = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | null = null
  try {
    for await (const item of items) {
      const one: Promise<void> = work(item)
        .catch((error: unknown) => {
          failure ??= { error }
        })
        .finally(() => running.delete(one))
      running.add(one)
      if (running.size >= IN_FLIGHT) await Promise.race(running)
      if (failure !== null) break
    }
  } finally {
    await Promise.all(running)
  }
  if (failure !== null) throw (failure as { error: unknown }).error
}

/** Settles the orders that several lines name, and counts the file. */
async function countFile({ sql, now, compareFile }: ReadingDeps, carried: CarriedBy, file: FileRow): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local statement_timeout = '2min'`
    // A comparison of the account may be running.
    await tx`set local lock_timeout = '2min'`
    const locked = await files.lockFile(tx, file.id)
    if (locked === null || locked.status !== 'reading') return
    const counts = await countRows(tx, carried, file)
    const moved = transitionFile(locked, { trigger: 'last_chunk_written', counts }, now())
    if (moved === null) return
    await applyEffects(tx, moved.effects, now())
    await compareFile(tx, file)
  })
}

/** Settles the orders that several lines of a file name, and counts all that its chunks wrote. */
export async function countRows(tx: Tx, carried: CarriedBy, file: FileRow): Promise<FileCounts> {
  if (file.first_day !== null) await settleContested(tx, carried, file)
  const { kinds, ...counts } = file.first_day === null ? noCounts() : await files.countLines(tx, file)
  const opening_differs = await countOpening(tx, file)
  return { ...counts, kinds: { ...noCounts().kinds, ...kinds }, opening_differs }
}

/** 1 when the file does not open where the file of the day before closed. */
async function countOpening(db: Db, file: FileRow): Promise<number> {
  const { first_day, found } = file
  const opening = found?.chain.opening ?? null
  if (opening === null || first_day === null) return 0
  const before = await files.readClosingBefore(db, file, first_day)
  if (before === null) return 0
  const is_next_day = Date.parse(first_day) - Date.parse(before.last_day) === 86_400_000
  return is_next_day && before.closing !== opening ? 1 : 0
}
