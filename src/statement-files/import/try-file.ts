import { readStatement } from '../read-statement.ts'
import { LineNames } from './line-names.ts'
import { readLinesByName } from './line-store.ts'
import { type FileCounts, type FileRow, noCounts, type StatementAccount } from './statement-file.ts'
import { openBytes } from './stored-bytes.ts'
import { CHUNK_ROWS, isLine, judgeChunk, type NamedRow } from './write-chunk.ts'
import type { ReadingDeps } from './write-lines.ts'

/**
 * Counts what an import would find, and writes nothing. Each chunk is judged alone: an order that two chunks of the file show counts twice, and lines that only
 * a number of the operator would match are waiting.
 */
export async function tryFile(
  { sql, key, readCarried }: ReadingDeps,
  account: StatementAccount,
  file: FileRow,
  pieces: readonly Buffer[],
): Promise<FileCounts> {
  const carried = await readCarried(sql, account.livemode)
  const names = new LineNames(account)
  const counts = noCounts()
  let { known, matched, explained, waiting } = counts
  const kinds: Record<string, number> = { ...counts.kinds }
  const fees = { count: 0, amount: 0 }
  const judge = async (rows: readonly NamedRow[]) => {
    const judged = await judgeChunk(sql, carried, file, rows, readLinesByName)
    known += judged.counts.known
    kinds.line_changed! += judged.counts.line_changed
    for (const { state, kind: its, is_fee_known, fee, tax, charge } of judged.fresh) {
      if (state === 'matched') matched += 1
      else if (state === 'explained') explained += 1
      else waiting += 1
      if (its !== null) kinds[its]! += 1
      if (state !== 'matched' || !is_fee_known || fee + tax === charge) continue
      fees.count += 1
      fees.amount += fee + tax - charge!
    }
  }
  let chunk: NamedRow[] = []
  const rows = readStatement(
    openBytes(key, file.id, async (piece) => pieces[piece] ?? null),
    {
      profile: file.settings!,
      ...(file.opening === null ? {} : { opening: file.opening }),
    },
  )
  for await (const row of rows) {
    chunk.push({ row, name: isLine(row) ? names.nameOf(row) : null })
    if (chunk.length < CHUNK_ROWS) continue
    await judge(chunk)
    chunk = []
  }
  await judge(chunk)
  return { ...counts, known, matched, explained, waiting, kinds: kinds as FileCounts['kinds'], fee_corrections: fees }
}
