import type { CsvReading, Unread } from '../platform/read-csv.ts'
import type { Tenant } from '../values/caller.ts'

/** The columns of a file that we know, in the order of the template. */
export const draftColumns = ['name', 'msisdn', 'operator', 'amount', 'reference', 'beneficiary_id'] as const
export type DraftColumn = (typeof draftColumns)[number]

/** A line of a draft, its cells as they were written. */
export type DraftLine = {
  /** That of the file, from 1; the titles are a line too. */
  readonly line: number
  /** Absent: empty. */
  readonly cells: Partial<Readonly<Record<DraftColumn, string>>>
  readonly unread?: Partial<Readonly<Record<DraftColumn, Unread>>>
  /** The text behind the last title: a sign inside an amount has divided it, and the columns after it are shifted. */
  readonly beyond?: string
  /** A person wrote into it after the file was read. */
  readonly mended?: true
}

/** The columns of a file as a person named them. */
export type AssignedColumns = {
  /** The first line has titles; false: it is a line like the others. */
  readonly titles: boolean
  /** For each column of the file, from the left; null: it is left aside. */
  readonly at: readonly (DraftColumn | null)[]
  /** The person, as the audit log names them. */
  readonly assigned_by: string
}

/** How a file was read, to be shown beside what was read. */
export type Reading = Partial<CsvReading> & {
  readonly form: 'csv' | 'xlsx' | 'batch'
  /** Of a workbook: the name of the sheet. */
  readonly sheet?: string
  /** Titles of columns that we do not know. */
  readonly ignored: readonly string[]
  /** Absent: its titles said what its columns are. `unknown`: nobody has said yet, and it has no lines. */
  readonly columns?: 'unknown' | AssignedColumns
}

/** A batch in preparation. The bytes of its file are read by themselves. */
export type BatchDraft = Tenant & {
  readonly id: string
  readonly name: string
  /** Null: its lines come from the batch `from_batch_id`. */
  readonly file_name: string | null
  /** In hexadecimal figures. */
  readonly file_sha256: string | null
  readonly from_batch_id: string | null
  readonly reading: Reading
  readonly lines: readonly DraftLine[]
  readonly version: number
  /** The person, as the audit log names them. */
  readonly made_by: string
  readonly created_at: Date
  readonly expires_at: Date
  /** The batch that was made of it; null: none yet. */
  readonly batch_id: string | null
}

/** Bytes of a file at most. The table holds the same. */
export const FILE_MAX_BYTES = 5 * 1024 * 1024
/** Days after which a draft lapses that no batch was made of. */
export const DRAFT_DAYS = 7
/** Characters of a cell at most: longer than every field of a line may be. */
export const CELL_MAX = 400
