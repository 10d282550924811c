/** The columns of a statement that we read. No other column is ever returned. */
export const statementColumns = [
  ...['date', 'time', 'amount', 'debit', 'credit', 'fee', 'fee_in', 'fee_out', 'tax', 'tax_in', 'tax_out', 'balance'],
  ...['currency', 'direction', 'reference', 'our_reference', 'state', 'type', 'party', 'text'],
] as const
export type StatementColumn = (typeof statementColumns)[number]

/** The place of a column: its titles in the order of preference. `occurrence`: the n-th of that title. `after`: the first behind another title. */
export type ColumnPlace = {
  readonly title: string | readonly string[]
  readonly occurrence?: number
  readonly after?: string
}

export type RowClass = 'operation' | 'fee' | 'tax' | 'own_transfer' | 'failed' | 'summary' | 'unreadable'
export type Direction = 'in' | 'out'

/**
 * The meaning of the amounts. `gross`: the fee comes on top of a payout and off a collection. `net`: the amount is the effect, fee inside.
 * `by_chain`: the one that closes the chain of balances. `from_balance`: the rest of a step of the balance is the fee, up to `fee_at_most`.
 */
export const arithmetics = ['gross', 'net', 'by_chain', 'from_balance'] as const
export type Arithmetic = (typeof arithmetics)[number]

/** The order of a date in digits. Dates that begin with the year, and those with the name of the month, are read in each. */
export const dateForms = ['year_first', 'day_first', 'month_first'] as const
export type DateForm = (typeof dateForms)[number]

type Words = readonly string[]

/** How one operator or bank writes its statements, as its JSON says it. */
export type StatementProfile = {
  readonly profile: string
  readonly version: number
  readonly format: 'table' | 'json' | 'mt940' | 'camt053'
  /** The titles of one of the first 40 rows. A list inside has alternatives. */
  readonly titles: readonly (string | Words)[]
  readonly columns: Partial<Readonly<Record<StatementColumn, string | ColumnPlace>>>
  /** Rows of another kind are summaries. `number_first`: the first cell of a line is a number. Absent: each row is one. */
  readonly row_is?: 'number_first' | 'has_date'
  /**
   * Words of the column `type` that decide the class; `COMMISSION*` means the labels that begin with these whole words. Such a label makes
   * no fee and no tax of money that came in. Absent or unknown: operation.
   */
  readonly classes?: Partial<Readonly<Record<'fee' | 'tax' | 'own_transfer' | 'operation', Words>>>
  /** Words that decide the direction, of the column `direction`, or of `type` in a profile without one. Absent: the sign, or the column of the amount. */
  readonly directions?: Partial<Readonly<Record<Direction, Words>>>
  /** Words of the column `state`. Another word makes the row unreadable. */
  readonly states?: { readonly moved: Words; readonly failed: Words }
  readonly date: DateForm
  readonly currency: string
  /** Whether amounts of one column without a direction count only when a minus or the balances show a direction. Otherwise all would come in. */
  readonly needs_sign?: boolean
  /** Titles above the table, whose value stands beside or behind them. */
  readonly preamble?: { readonly account?: string; readonly opening?: string; readonly currency?: string }
  /** The words that begin the rows of totals. Only such a row may have an amount and be no line. */
  readonly footer?: Words
  readonly arithmetic: Arithmetic
  /** With `by_chain`: the arithmetic of a file without balances. Absent: such a file is refused. */
  readonly assumed?: 'gross' | 'net'
  /** With `from_balance`: the largest fee, in basis points of the amount, and never less than one franc. */
  readonly fee_at_most?: number
}
