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
  const shown = { gross, fee, tax, effect, is_fee_known, balance }
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
