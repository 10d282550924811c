import type { TableForm } from '../../platform/tables/open-table.ts'
import type { Period } from '../../values/period.ts'
import { type LineKind, lineKinds } from '../matching/line-kinds.ts'
import type { StatementProfile } from '../profile.ts'
import type { StatementEnd } from '../read-statement.ts'
import type { Totals } from '../statement-row.ts'
import type { FileStatus } from '../states.ts'
import type { ImportRefusal } from './import-refusal.ts'

/** An external account: its mode and its code. */
export type AccountKey = { readonly livemode: boolean; readonly account: string }

/** The account whose lines a file lists. */
export type StatementAccount = AccountKey & {
  readonly kind: 'wallet' | 'bank' | 'safeguarding'
  /** Of a wallet. */
  readonly connector: string | null
  /** Its number or IBAN, which a file must not contradict. Null: unknown. */
  readonly number: string | null
  /** Its usual profile. Null: the titles of a file decide. */
  readonly profile: string | null
}

/** The result of reading a file, beside its rows. */
export type Found = Pick<
  Extract<StatementEnd, { kind: 'read' }>,
  'totals' | 'chain' | 'faults' | 'first_moment' | 'last_moment'
> & {
  readonly form: TableForm | 'typed'
  readonly profile: string
  readonly arithmetic: string
  readonly assumed: boolean
}

/** The lines of a file by what became of them, complete once the file is counted. Amounts in francs. */
export type FileCounts = {
  /** Lines that another file had shown. */
  readonly known: number
  readonly matched: number
  readonly explained: number
  /** Lines that agree with nothing yet. */
  readonly waiting: number
  readonly kinds: Readonly<Record<LineKind, number>>
  readonly opening_differs: number
  /** Matched lines of which the fee is not the booked charge, and by how much in all. */
  readonly fee_corrections: { readonly count: number; readonly amount: number }
}

export type FileRow = {
  readonly id: string
  readonly account: string
  readonly livemode: boolean
  readonly source: 'file' | 'api' | 'typed'
  readonly status: FileStatus
  readonly hash: Buffer
  readonly bytes: number
  readonly settings: StatementProfile | null
  readonly opening: number | null
  readonly period_from: string | null
  readonly period_to: string | null
  readonly found: Found | null
  readonly first_day: string | null
  readonly last_day: string | null
  readonly counts: FileCounts | null
  readonly refusal: ImportRefusal | null
  readonly imported_by: string
  readonly imported_at: Date
  readonly ended_at: Date | null
}

/**
 * The days that a file says something about: those of its lines, and of the period for which it is complete, because that was over when it came. Null: it has neither.
 */
export function periodOfFile({
  first_day,
  last_day,
  period_from,
  period_to,
  imported_at,
}: Pick<FileRow, 'first_day' | 'last_day' | 'period_from' | 'period_to' | 'imported_at'>): Period | null {
  const is_over = period_to !== null && period_to < imported_at.toISOString().slice(0, 10)
  const days = [first_day, last_day, ...(is_over ? [period_from, period_to] : [])].filter((day) => day !== null).sort()
  return days.length === 0 ? null : { from: days[0]!, to: days.at(-1)! }
}

export function noCounts(): FileCounts {
  const kinds = Object.fromEntries(lineKinds.map((kind) => [kind, 0])) as Record<LineKind, number>
  return {
    ...{ known: 0, matched: 0, explained: 0, waiting: 0, kinds, opening_differs: 0 },
    fee_corrections: { count: 0, amount: 0 },
  }
}

export function rowsIn(totals: Totals): number {
  return Object.values(totals).reduce((sum, { rows }) => sum + rows, 0)
}

/** Counts of the differences about lines that a file lacks. Null: not counted, as for a trial. */
export type Absent = { readonly missing_there: number | null; readonly file_missing: number | null }

/** A file as commands show it. */
export function viewFile(
  file: Omit<FileRow, 'id' | 'status'> & { readonly id: string | null; readonly status: FileStatus | 'dry_run' },
  repeated = false,
  absent: Absent = { missing_there: null, file_missing: null },
) {
  const { id: file_id, account, source, found, status, refusal, counts } = file
  const { known, matched, explained, waiting, kinds, opening_differs, fee_corrections } = counts ?? noCounts()
  const { chain, totals } = found ?? {}
  return {
    ...{ file_id, account, source, format: found?.form ?? null, profile: found?.profile ?? null },
    ...{ arithmetic: found?.arithmetic ?? null, assumed: found?.assumed ?? null, hash: file.hash.toString('hex') },
    ...{ status, ...(refusal === null ? {} : { refusal }), repeated },
    ...{ from: file.period_from ?? file.first_day, to: file.period_to ?? file.last_day },
    ...{ rows: totals === undefined ? 0 : rowsIn(totals), classes: totals ?? null },
    ...{ lines: totals?.operation.rows ?? 0, known, matched, explained, waiting },
    ...{ ...kinds, opening_differs, chain_broken: chain?.breaks_count ?? 0, unreadable: totals?.unreadable.rows ?? 0 },
    ...{ ...absent, fee_corrections },
    chain:
      chain === undefined
        ? null
        : { status: chain.status, opening: chain.opening, closing: chain.closing, breaks: chain.breaks },
    faults: found?.faults ?? [],
  }
}
