import { SIMULATOR, type Wallet, walletOf } from '../../external-accounts/wallet-of.ts'
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
  /** The operator's own number. */
  readonly reference: string | null
  readonly our_reference: string | null
  readonly party: string | null
  readonly is_changed: boolean
}

/** The result of matching a line. `subject_id` also of a line that is about an order and does not agree with it. */
export type Match = {
  readonly state: Extract<LineState, 'unmatched' | 'matched' | 'explained'>
  readonly matched_by: 'reference' | 'number' | 'class' | 'two_people' | null
  readonly subject_id: string | null
  readonly charge: number | null
  readonly kind: LineKind | null
}

/** The wallets of a mode: they decide which orders each account carries. */
export type CarriedBy = readonly Wallet[]

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
 * which file came first. A line that names an order itself is for that order alone. Lines that name a collection and go out are for its refunds. For each order
 * the exact amount wins, then the number that the operator told us, then the earliest line, then the smallest id.
 * @param lines all lines that name these orders, of any file
 * @param orders the order that they name, or a collection with all its refunds
 */
export function matchGroup(
  carried: CarriedBy,
  lines: readonly LineToMatch[],
  orders: readonly OurSide[],
): Map<string, Match> {
  const matches = new Map<string, Match>()
  const taken = new Set<OurSide>()
  const free = new Set(lines.toSorted(earlier))
  const sorted = orders.toSorted((one, other) => endOf(one) - endOf(other) || compare(one.subject_id, other.subject_id))
  const byOf = (line: LineToMatch) => (sorted.some((order) => isQuoted(line, order)) ? 'reference' : 'number')
  const named = new Set(lines.filter((line) => sorted.some((order) => isOf(line, order) && isNamed(line, order))))
  const isRest = (line: LineToMatch, order: OurSide) => !named.has(line) && isRefundOf(line, order)
  // The best pairs first, over all orders: of two refunds, the line of 300 is that of the refund of 300.
  for (const isFor of [isNamed, isRest]) {
    for (const rank of [0, 1, 2]) {
      for (const order of sorted) {
        if (taken.has(order)) continue
        const fits = (line: LineToMatch) =>
          isOf(line, order) && !line.is_changed && isFor(line, order) && rankOf(carried, line, order) === rank
        const fitting = [...free].filter(fits)
        const line = fitting.find(({ reference }) => reference !== null && reference === order.number) ?? fitting[0]
        if (line === undefined) continue
        free.delete(line)
        taken.add(order)
        matches.set(line.id, matchOf(carried, line, order, byOf(line)))
      }
    }
  }
  for (const line of free) matches.set(line.id, matchRest(line, sorted, byOf(line)))
  return matches
}

/** The match of a line whose orders have better lines, or that moves against the order that it names. */
function matchRest(line: LineToMatch, orders: readonly OurSide[], by: 'reference' | 'number'): Match {
  const named = orders.filter((order) => isNamed(line, order))
  const own = named.filter((order) => isOf(line, order))
  const possible = own.length > 0 ? own : orders.filter((order) => isOf(line, order) && isRefundOf(line, order))
  const same = possible.find(({ amount }) => amount === line.gross) ?? possible[0]
  const order = same ?? named[0]
  if (order === undefined) return matchAlone(line)
  const kind = line.is_changed ? 'line_changed' : same !== undefined ? 'duplicate' : oppositeOf(order)
  return { state: 'unmatched', matched_by: by, subject_id: order.subject_id, charge: null, kind }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The reference of ours that a line carries, as sending writes it. Null: none of our form. */
export function referenceIn({ our_reference }: Pick<LineToMatch, 'our_reference'>): string | null {
  return our_reference !== null && UUID.test(our_reference) ? our_reference.toLowerCase() : null
}

/**
 * Whether a line names this very order: by our reference, or by the number that the operator told us. A number beside the reference of another order names
 * none, unless that is the collection which this refund gives back.
 */
function isNamed(line: LineToMatch, order: OurSide): boolean {
  if (line.our_reference?.toLowerCase() === order.reference) return true
  const isFree = referenceIn(line) === null || isRefundOf(line, order)
  return isFree && line.reference !== null && line.reference === order.number
}

function isRefundOf({ our_reference }: LineToMatch, { collection }: OurSide): boolean {
  return collection !== null && our_reference?.toLowerCase() === collection
}

function isQuoted(line: LineToMatch, order: OurSide): boolean {
  return line.our_reference?.toLowerCase() === order.reference || isRefundOf(line, order)
}

function isOf({ direction }: LineToMatch, order: OurSide): boolean {
  return (order.direction === 'collect' ? 'in' : 'out') === direction
}

/** Of orders that fit a line equally, one that moved comes first, and one that was refused last. */
function endOf({ state }: OurSide): number {
  return state === 'confirmed' ? 0 : state === 'refused' ? 2 : 1
}

/** 0: the account and the amount of the order; 1: the account alone. */
function rankOf(carried: CarriedBy, line: LineToMatch, order: OurSide): number {
  if (!isCarried(carried, line, order)) return 2
  return line.gross === order.amount ? 0 : 1
}

/** Whether the money of the order is in the account, as the ledger has it. */
function isCarried(carried: CarriedBy, { account }: LineToMatch, order: OurSide): boolean {
  const connector = order.connector ?? SIMULATOR
  const own = carried.filter((one) => one.connector === connector && one.livemode === order.livemode)
  return own.some(({ code }) => code === account) && walletOf(own, order) === account
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
