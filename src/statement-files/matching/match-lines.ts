import type { OurSide } from '../../operators/statement-orders.ts'
import type { LineState } from '../states.ts'
import type { LineKind } from './line-kinds.ts'

/** A line as far as matching depends on it. Money in francs. */
export type LineToMatch = {
  readonly id: string
  readonly month: string
  readonly account: string
  readonly class: string
  readonly direction: 'in' | 'out'
  readonly gross: number
  readonly occurred_at: Date | null
  readonly our_reference: string | null
  readonly party: string | null
  readonly is_changed: boolean
}

/** The result of matching a line. `subject_id` also of a line that is about an order and does not agree with it. */
export type Match = {
  readonly state: Extract<LineState, 'unmatched' | 'matched' | 'explained'>
  readonly matched_by: 'reference' | 'number' | 'class' | null
  readonly subject_id: string | null
  readonly charge: number | null
  readonly kind: LineKind | null
}

/** The orders that an account carries: those of its connector, perhaps of some directions. Null: all. */
export type Carried = { readonly connector: string | null; readonly directions: readonly string[] | null }
/** The orders that each external account carries, by its code. */
export type CarriedBy = ReadonlyMap<string, Carried>

const DAY_MS = 86_400_000

/** The match of a line that names no order: a fee or a tax explains itself, an own transfer waits for its other half. */
export function matchAlone({ class: its, is_changed }: Pick<LineToMatch, 'class' | 'is_changed'>): Match {
  const none = { matched_by: null, subject_id: null, charge: null }
  if (is_changed) return { state: 'unmatched', ...none, kind: 'line_changed' }
  if (its === 'fee' || its === 'tax') return { ...none, state: 'explained', matched_by: 'class', kind: null }
  return { ...none, state: 'unmatched', kind: its === 'operation' ? 'missing_here' : null }
}

/**
 * Matches the lines that name one order, or one collection and its refunds, in one step: the result depends on the sets of lines and orders, and not on
 * which file came first. For each order the exact amount wins, then the earliest line, then the smallest id.
 * @param lines all lines that name these orders, of any file
 * @param orders the order that they name, and the refunds of it when it is a collection
 */
export function matchGroup(
  carried: CarriedBy,
  lines: readonly LineToMatch[],
  orders: readonly OurSide[],
  by: 'reference' | 'number',
): Map<string, Match> {
  const matches = new Map<string, Match>()
  const free = new Set(lines.toSorted(earlier))
  const take = (line: LineToMatch, order: OurSide) => {
    free.delete(line)
    matches.set(line.id, matchOf(carried, line, order, by))
  }
  const sorted = orders.toSorted((one, other) => compare(one.subject_id, other.subject_id))
  // The best pairs first, over all orders: of two refunds, the line of 300 is that of the refund of 300.
  for (const rank of [0, 1, 2]) {
    for (const order of sorted) {
      if ([...matches.values()].some(({ subject_id }) => subject_id === order.subject_id)) continue
      const line = [...free].find((one) => isOf(one, order) && !one.is_changed && rankOf(carried, one, order) === rank)
      if (line !== undefined) take(line, order)
    }
  }
  const root = sorted.find(({ direction }) => direction !== 'refund') ?? sorted[0]!
  for (const line of free) {
    const about = { state: 'unmatched', matched_by: by, charge: null } as const
    const same = sorted.find((order) => isOf(line, order))
    const kind = line.is_changed ? 'line_changed' : same !== undefined ? 'duplicate' : oppositeOf(root)
    matches.set(line.id, { ...about, subject_id: (same ?? root).subject_id, kind })
  }
  return matches
}

function isOf({ direction }: LineToMatch, order: OurSide): boolean {
  return (order.direction === 'collect' ? 'in' : 'out') === direction
}

/** 0: the account and the amount of the order; 1: the account alone. */
function rankOf(carried: CarriedBy, line: LineToMatch, order: OurSide): number {
  if (!isCarried(carried, line, order)) return 2
  return line.gross === order.amount ? 0 : 1
}

function isCarried(carried: CarriedBy, { account }: LineToMatch, { connector, direction }: OurSide): boolean {
  const { connector: its = null, directions = null } = carried.get(account) ?? {}
  return its === connector && (directions === null || directions.includes(direction))
}

/** The kind of a line that moves against its order: a success that was taken back, or an order that we never gave. */
function oppositeOf(order: OurSide): LineKind {
  return order.state === 'confirmed' ? 'reversed' : 'direction_differs'
}

function matchOf(carried: CarriedBy, line: LineToMatch, order: OurSide, by: 'reference' | 'number'): Match {
  const about = { matched_by: by, subject_id: order.subject_id } as const
  const against = (kind: LineKind): Match => ({ ...about, state: 'unmatched', charge: null, kind })
  if (order.state === 'refused') return against('state_differs')
  if (order.state !== 'confirmed') return against('order_open')
  if (!isCarried(carried, line, order)) return against('wrong_account')
  if (line.gross !== order.amount) return against('amount_differs')
  const kind = isOtherParty(line, order) ? 'party_differs' : isOtherDay(line, order) ? 'wrong_day' : null
  return { ...about, state: 'matched', charge: order.charge, kind }
}

/** Only money that left is compared: a payer may use another number than the one that was named. */
function isOtherParty({ direction, party }: LineToMatch, { msisdn }: OurSide): boolean {
  return direction === 'out' && party !== null && msisdn !== null && party !== msisdn
}

/** Whether a line lies outside the time from the send to our knowledge of the success, and on another day than both. */
function isOtherDay({ occurred_at }: LineToMatch, { sent_at, moved_at }: OurSide): boolean {
  if (occurred_at === null || sent_at === null || moved_at === null) return false
  const at = occurred_at.getTime()
  if (at >= sent_at.getTime() && at <= moved_at.getTime()) return false
  const dayOf = (moment: number) => Math.floor(moment / DAY_MS)
  return ![sent_at, moved_at].some((moment) => dayOf(moment.getTime()) === dayOf(at))
}

function earlier(one: LineToMatch, other: LineToMatch): number {
  return (one.occurred_at?.getTime() ?? 0) - (other.occurred_at?.getTime() ?? 0) || compare(one.id, other.id)
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
