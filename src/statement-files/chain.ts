import type { Arithmetic, StatementProfile } from './profile.ts'
import type { WrittenRow } from './read-row.ts'
import { moves, type StatementRow, settle } from './statement-row.ts'

/** The order of the rows of a file. */
export type Order = 'oldest_first' | 'newest_first'

export type Break = { readonly row: number; readonly expected: number; readonly found: number }
export type ChainRead = {
  /** `none`: the file has no balances. */
  readonly status: 'whole' | 'broken' | 'none'
  /** Null: the file has no balance before its first row, and none after a row of which the fee is known. */
  readonly opening: number | null
  readonly closing: number | null
  readonly breaks_count: number
  /** The first hundred. */
  readonly breaks: readonly Break[]
}

const BREAKS_MAX = 100

/** How the amounts of a file are meant, as its first rows show. `assumed`: no balance proves it. */
export type Reckoning = {
  readonly arithmetic: Exclude<Arithmetic, 'by_chain'>
  readonly order: Order
  readonly assumed: boolean
}

/**
 * Whether the first rows of a file show the direction of amounts that stand in one column: by a minus, or by balances that close if all came in
 * and would not if all had left.
 */
export function showsDirection(rows: readonly WrittenRow[]): boolean {
  const moved = rows.filter(moves)
  if (moved.length === 0 || moved.some(({ direction }) => direction === 'out')) return true
  const chained = moved.filter(({ balance }) => balance !== null)
  const turned = chained.map((row) => ({ ...row, direction: 'out' as const }))
  const orders = ordersOf(moved)
  const steps = (some: readonly WrittenRow[]) =>
    orders.reduce((sum, order) => sum + countSteps(some, (one, other) => closes(one, other, order, 'net')), 0)
  return steps(chained) > 0 && steps(turned) === 0
}

/** The orders in which rows may run by their first and last moment. */
function ordersOf(moved: readonly WrittenRow[]): readonly Order[] {
  const [first, last] = [moved[0]?.occurred_at ?? '', moved.at(-1)?.occurred_at ?? '']
  if (first === last) return ['oldest_first', 'newest_first']
  return [first < last ? 'oldest_first' : 'newest_first']
}

/** Decides from the first rows of a file. Null: only balances could, and there are none. */
export function reckon(rows: readonly WrittenRow[], profile: StatementProfile): Reckoning | null {
  const moved = rows.filter(moves)
  const chained = moved.filter(({ balance }) => balance !== null)
  const { arithmetic } = profile
  if (arithmetic === 'from_balance') {
    const steps = (order: Order) => countSteps(chained, (one, other) => feeOfStep(one, other, order, profile) !== null)
    return { arithmetic, order: orderBy(steps, moved), assumed: false }
  }
  const closing = (meaning: 'gross' | 'net') => (order: Order) =>
    countSteps(chained, (one, other) => closes(one, other, order, meaning))
  if (arithmetic !== 'by_chain') return { arithmetic, order: orderBy(closing(arithmetic), moved), assumed: false }
  const best = (meaning: 'gross' | 'net') =>
    Math.max(closing(meaning)('oldest_first'), closing(meaning)('newest_first'))
  const proven = best('gross') === best('net') ? null : best('gross') > best('net') ? 'gross' : 'net'
  // Without a fee both mean the same, and the balances prove either.
  const alike = chained.length > 0 && moved.every(({ fee, tax }) => fee + tax === 0) ? 'gross' : undefined
  const chosen = proven ?? profile.assumed ?? alike
  if (chosen === undefined) return null
  return { arithmetic: chosen, order: orderBy(closing(chosen), moved), assumed: proven === null }
}

function countSteps(rows: readonly WrittenRow[], holds: (one: WrittenRow, other: WrittenRow) => boolean): number {
  return rows.reduce((count, row, at) => count + (at > 0 && holds(rows[at - 1]!, row) ? 1 : 0), 0)
}

function closes(one: WrittenRow, other: WrittenRow, order: Order, meaning: 'gross' | 'net'): boolean {
  const [before, after] = order === 'oldest_first' ? [one, other] : [other, one]
  return after.balance! - before.balance! === settle(after, meaning).effect
}

function orderBy(steps: (order: Order) => number, moved: readonly WrittenRow[]): Order {
  const [oldest, newest] = [steps('oldest_first'), steps('newest_first')]
  if (oldest !== newest) return oldest > newest ? 'oldest_first' : 'newest_first'
  const times = moved.flatMap(({ occurred_at }) => (occurred_at === null ? [] : [occurred_at]))
  return times.length > 1 && times[0]! > times.at(-1)! ? 'newest_first' : 'oldest_first'
}

/**
 * Returns the fee that only a step of the balance shows: the rest beyond the amount. Null when the step is no amount with a fee, or the fee is
 * above the profile's limit.
 */
export function feeOfStep(
  one: WrittenRow,
  other: WrittenRow,
  order: Order,
  { fee_at_most = 0 }: StatementProfile,
): number | null {
  const [before, after] = order === 'oldest_first' ? [one, other] : [other, one]
  return feeOf(after, after.balance! - before.balance!, fee_at_most)
}

function feeOf(row: WrittenRow, step: number, fee_at_most: number): number | null {
  const fee = (row.direction === 'out' ? -row.amount : row.amount) - step
  return fee >= 0 && fee <= Math.max(1, Math.ceil((row.amount * fee_at_most) / 10_000)) ? fee : null
}

/** Follows the balances of a file: each is the one before plus the effect. Rows run either way. */
export class Chain {
  readonly #order: Order
  readonly #breaks: Break[] = []
  #count = 0
  #first: number | null = null
  /** Whether the first balance of the file leads to an opening: only a known fee tells the balance before its row. */
  #is_opening_known = true
  /** The balance that the row before leads to, and the effects since. Newest first: the balance before that row. */
  #balance: number | null = null
  #sum = 0
  #waiting = 0

  constructor(order: Order) {
    this.#order = order
  }

  take(row: StatementRow): void {
    if (!moves(row)) return
    this.#sum += row.effect
    const { balance, effect } = row
    const isFirst = this.#balance === null
    if (this.#order === 'oldest_first') {
      this.#waiting += effect
      if (isFirst) this.#is_opening_known &&= row.is_fee_known
      if (balance === null) return
      if (isFirst) this.#first = balance - this.#waiting
      else this.#expect(row.row, this.#balance! + this.#waiting, balance)
      this.#balance = balance
    } else {
      // The last row with a balance is the first of the account.
      this.#is_opening_known = row.is_fee_known && (balance !== null || this.#is_opening_known)
      if (balance === null) {
        this.#waiting -= effect
        return
      }
      if (isFirst) this.#first = balance - this.#waiting
      else this.#expect(row.row, this.#balance! + this.#waiting, balance)
      this.#balance = balance - effect
    }
    this.#waiting = 0
  }

  /** @param stated the opening and closing that the file states beside its rows */
  end(stated: { readonly opening: number | null; readonly closing: number | null }): ChainRead {
    const last = this.#balance === null ? null : this.#balance + this.#waiting
    const [from, last_found] = this.#order === 'oldest_first' ? [this.#first, last] : [last, this.#first]
    const opening = stated.opening ?? (this.#is_opening_known ? from : null)
    const closing = stated.closing ?? last_found
    if (stated.opening !== null && from !== null) this.#expect(0, stated.opening, from)
    if (stated.closing !== null && last_found !== null) this.#expect(0, stated.closing, last_found)
    if (this.#balance === null && opening !== null && closing !== null) this.#expect(0, opening + this.#sum, closing)
    const isKnown = this.#balance !== null || (opening !== null && closing !== null)
    const status = this.#count > 0 ? 'broken' : isKnown ? 'whole' : 'none'
    return { status, opening, closing, breaks_count: this.#count, breaks: this.#breaks }
  }

  #expect(row: number, expected: number, found: number): void {
    if (expected === found) return
    this.#count += 1
    if (this.#breaks.length < BREAKS_MAX) this.#breaks.push({ row, expected, found })
  }
}

/** Gives the rows of a file their effects, in the order of the file. With `from_balance` a row waits for the next balance. */
export class Settler {
  readonly #reckoning: Reckoning
  readonly #profile: StatementProfile
  readonly #opening: number | null
  #before: number | null
  #held: WrittenRow[] = []

  /** @param opening the balance before the first row of the account, such as the last closing. Null: unknown */
  constructor(reckoning: Reckoning, profile: StatementProfile, opening: number | null) {
    this.#reckoning = reckoning
    this.#profile = profile
    this.#opening = opening
    this.#before = opening
  }

  take(row: WrittenRow): StatementRow[] {
    const { arithmetic, order } = this.#reckoning
    if (arithmetic !== 'from_balance') return [settled(row, settle(row, arithmetic), true)]
    const isChained = moves(row) && row.balance !== null
    if (order === 'oldest_first') {
      const fee = isChained ? this.#feeOf(row, this.#before) : null
      if (isChained) this.#before = row.balance
      return [withFee(row, fee)]
    }
    this.#held.push(row)
    if (!isChained && this.#held.length < HELD_MAX) return []
    const ready = isChained ? this.#held.slice(0, -1) : this.#held
    const rows = this.#newestFirst(ready, isChained ? row.balance : null)
    this.#held = isChained ? [row] : []
    return rows
  }

  end(): StatementRow[] {
    return this.#newestFirst(this.#held, this.#opening)
  }

  /** Rows that end with the row before which `balance` stood. */
  #newestFirst(rows: readonly WrittenRow[], balance: number | null): StatementRow[] {
    const newest = rows[0]
    return rows.map((row) => withFee(row, row === newest ? this.#feeOf(row, balance) : null))
  }

  #feeOf(row: WrittenRow, before: number | null): number | null {
    if (before === null || row.balance === null || !moves(row)) return null
    return feeOf(row, row.balance - before, this.#profile.fee_at_most ?? 0)
  }
}

/** The most rows that wait for a balance. */
const HELD_MAX = 10_000

function withFee(row: WrittenRow, fee: number | null): StatementRow {
  const whole = fee === null ? row : { ...row, fee }
  return settled(whole, settle(whole, 'gross'), fee !== null || !moves(row))
}

function settled(
  { amount: _, ...row }: WrittenRow,
  money: { gross: number; effect: number },
  is_fee_known: boolean,
): StatementRow {
  return { ...row, ...money, is_fee_known }
}
