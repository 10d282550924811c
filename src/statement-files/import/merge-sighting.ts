import type { LineRow, OtherRow, Shown } from './line-store.ts'

/** A line as another row shows it again. */
export type Sighting = Shown & Pick<LineRow, 'day' | 'occurred_at' | 'balance' | 'our_reference' | 'party'>

/**
 * Decides what a later sighting changes. `known`: it is the line as we have it, which may learn what its first file did not say. `changed`: it shows
 * other amounts; the line then keeps the smaller ones, whatever came first, agrees with no order, and waits for two people.
 */
export function mergeSighting(
  line: LineRow,
  seen: Sighting,
): { readonly kind: 'known' | 'changed'; readonly line: LineRow } {
  const learned = {
    // Files may give the moments of an order and of its end. The day before is the same month, which the identity has.
    day: least(line.day, seen.day),
    occurred_at: least(line.occurred_at, seen.occurred_at),
    balance: least(line.balance, seen.balance),
    our_reference: least(line.our_reference, seen.our_reference),
    party: least(line.party, seen.party),
  }
  if (moneyOf(line) === moneyOf(seen)) {
    return { kind: 'known', line: { ...line, ...learned, is_fee_known: line.is_fee_known || seen.is_fee_known } }
  }
  // Where only steps of the balance show fees, the first row of a file shows none. That is no other amount.
  if (line.gross === seen.gross && line.is_fee_known !== seen.is_fee_known) {
    const { fee, tax, effect } = line.is_fee_known ? line : seen
    return { kind: 'known', line: { ...line, ...learned, fee, tax, effect, is_fee_known: true } }
  }
  const { gross, fee, tax, effect, is_fee_known } = isSmaller(seen, line) ? seen : line
  const match = { state: 'unmatched', charge: null, kind: 'line_changed' } as const
  return {
    kind: 'changed',
    line: { ...line, ...learned, gross, fee, tax, effect, is_fee_known, ...match, is_changed: true },
  }
}

/** Whether a merged line differs from the one that is written. */
export function isMerged(before: LineRow, after: LineRow): boolean {
  return (Object.keys(after) as (keyof LineRow)[]).some((key) => String(before[key]) !== String(after[key]))
}

/** The sighting of a line by its first file, as a row of that file. */
export function firstSighting(line: LineRow): OtherRow {
  const { file_id, row, month, day, id, gross, fee, tax, effect, is_fee_known, balance } = line
  const { occurred_at, our_reference, party, text } = line
  const shown = { gross, fee, tax, effect, is_fee_known, balance, occurred_at, our_reference, party, text }
  return {
    file_id,
    row,
    month,
    day,
    class: line.class as OtherRow['class'],
    fault: null,
    line_id: id,
    line_month: month,
    ...shown,
  }
}

/**
 * Makes a line from all the rows that show it. It keeps its match only as far as the rows still say it.
 * @param rows in the order of their files; one is the first sighting of the line, unless nothing but that made it
 */
export function mergeAll(line: LineRow, rows: readonly OtherRow[]): LineRow {
  const first = rows.find(({ file_id, row }) => file_id === line.file_id && row === line.row)
  if (first === undefined) return line
  const begun = { ...line, ...sightingOf(line, first), text: first.text, is_changed: false, is_merged: false }
  let made: LineRow = begun
  for (const row of rows) if (row !== first) made = mergeSighting(made, sightingOf(line, row)).line
  const is_merged = isMerged(begun, made)
  const { state, matched_by, subject_id, charge, kind } = line
  // A number of the operator names the order whatever our reference is.
  const named = matched_by !== 'reference' || made.our_reference === line.our_reference
  const match = named ? { matched_by, subject_id } : { matched_by: null, subject_id: null }
  if (isOtherwise(line, made)) return { ...made, is_merged, state: 'unmatched', ...match, charge: null, kind: null }
  return { ...made, is_merged, state, matched_by, subject_id, charge, kind }
}

/** Whether a line differs in something on which its match depends. */
export function isOtherwise(before: LineRow, after: LineRow): boolean {
  const facts = ({ our_reference, party, occurred_at, is_changed, ...line }: LineRow) =>
    [our_reference, party, occurred_at?.getTime(), is_changed, moneyOf(line)].join(' ')
  return facts(before) !== facts(after)
}

/** A row as a sighting. Rows that were written before they told more than money, told what their line says. */
function sightingOf(line: LineRow, row: OtherRow): Sighting {
  const { gross, fee, tax, effect, is_fee_known, balance } = row
  const { occurred_at, our_reference, party } = row.occurred_at === null ? line : row
  return { gross, fee, tax, effect, is_fee_known, balance, day: row.day ?? line.day, occurred_at, our_reference, party }
}

/** The smaller of two values, whichever came first; the one that is known. */
function least<Value extends string | number | Date | null>(one: Value, other: Value): Value {
  if (one === null || other === null) return one ?? other
  return other < one ? other : one
}

function moneyOf({ gross, fee, tax, effect }: Shown): string {
  return [gross, fee, tax, effect].join(' ')
}

function isSmaller(one: Shown, other: Shown): boolean {
  const first = (['effect', 'gross', 'fee', 'tax'] as const).find((part) => one[part] !== other[part])
  return first !== undefined && one[first] < other[first]
}
