import type { CsvReading, Unread } from '../platform/tables/read-csv.ts'
import type { SheetReading } from '../platform/tables/workbook/read-xlsx.ts'
import type { Tenant } from '../values/caller.ts'

/** The known columns of a file, in the order of the template. */
export const draftColumns = ['name', 'msisdn', 'operator', 'amount', 'reference', 'beneficiary_id'] as const
export type DraftColumn = (typeof draftColumns)[number]

/** A question about a line that only a person can answer, because the file shows something else than it holds, or says more than we read. */
export type Ask = {
  readonly code:
    | 'row_hidden'
    | 'row_struck'
    | 'row_note'
    /** A column that the sheet does not show decides. */
    | 'column_hidden'
    /** The title of the amounts names another currency. */
    | 'title_currency'
    /** A column that is left out has operators, other numbers, or words about the payment. */
    | 'beside_operator'
    | 'beside_number'
    | 'beside_word'
    /** Its other cells say yes or no, and the cell of this line is empty. */
    | 'beside_nothing'
    | 'zero_restored'
    /** The file was read in another code page than it was written in. */
    | 'name_letters'
  /** The column whose cell it is about. A correction of the cell answers it. */
  readonly column?: DraftColumn
  /** The title of the column, and the words of the cell or the note. */
  readonly title?: string
  readonly text?: string
  /** The words of the column about this line. Other lines may share the question and say something else. */
  readonly said?: string
  /** A person said that the line is right. */
  readonly answered?: true
}

/** A line of a draft, with its cells as written in the file or by a person. */
export type DraftLine = {
  /** The line number in the file, from 1. The line of titles counts. */
  readonly line: number
  /** An absent cell is empty. */
  readonly cells: Partial<Readonly<Record<DraftColumn, string>>>
  readonly unread?: Partial<Readonly<Record<DraftColumn, Unread>>>
  /** The questions about the line. */
  readonly asks?: readonly Ask[]
  /** The text after the last titled column: a separator inside an amount has split it and shifted the columns after it. */
  readonly beyond?: string
  /** A person corrected the line after the file was read. */
  readonly mended?: true
}

/** The columns of a file as a person assigned them. */
export type AssignedColumns = {
  /** Whether the first line has titles. */
  readonly titles: boolean
  /** The column of the draft for each column of the file, from the left. Null: ignored. */
  readonly at: readonly (DraftColumn | null)[]
  /** The person, as the audit log names them. */
  readonly assigned_by: string
}

/** How a file was read. The page shows it beside the lines. */
export type Reading = Partial<CsvReading & SheetReading> & {
  readonly form: 'csv' | 'xlsx' | 'batch'
  /** The texts above the line of titles. Absent: none. */
  readonly above?: readonly string[]
  /** Unknown titles; their columns are ignored. */
  readonly ignored: readonly string[]
  /** Absent: all titles needed are known. `unknown`: nobody has assigned the columns yet, and the draft has no lines. */
  readonly columns?: 'unknown' | AssignedColumns
}

/** A batch in preparation. The bytes of its file have a query of their own. */
export type BatchDraft = Tenant & {
  readonly id: string
  readonly name: string
  /** Null when its lines come from the batch `from_batch_id`. */
  readonly file_name: string | null
  /** In hexadecimal. */
  readonly file_sha256: string | null
  readonly from_batch_id: string | null
  readonly reading: Reading
  readonly lines: readonly DraftLine[]
  readonly version: number
  /** The person, as the audit log names them. */
  readonly made_by: string
  readonly created_at: Date
  readonly expires_at: Date
  /** The batch that was made of it. Null: none yet. */
  readonly batch_id: string | null
}

/** The most bytes of a file. The table has the same limit. */
export const FILE_MAX_BYTES = 5 * 1024 * 1024
/** Days after which a draft lapses, if no batch was made of it. */
export const DRAFT_DAYS = 7
/** The most characters of a cell: more than any field of a line allows. */
export const CELL_MAX = 400
