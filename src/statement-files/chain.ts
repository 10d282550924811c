import type { Arithmetic, StatementProfile } from './profile.ts'
import type { WrittenRow } from './read-row.ts'
import { moves, type StatementRow, settle } from './statement-row.ts'

/** The order of the rows of a file. */
export type Order = 'oldest_first' | 'newest_first'

export type Break = { readonly row: number; readonly expected: number; readonly found: number }
export type ChainRead = {
  /** `none`: the file has no balances. */
  readonly status: 'whole' | 'broken' | 'none'
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
    if (this.#order === 'oldest_first') {
      this.#waiting += effect
      if (balance === null) return
      if (this.#balance === null) this.#first = balance - this.#waiting
      else this.#expect(row.row, this.#balance + this.#waiting, balance)
      this.#balance = balance
    } else {
      if (balance === null) {
        this.#waiting -= effect
        return
      }
      if (this.#balance === null) this.#first = balance - this.#waiting
      else this.#expect(row.row, this.#balance + this.#waiting, balance)
      this.#balance = balance - effect
    }
    this.#waiting = 0
  }

  /** @param stated the opening and closing that the file states beside its rows */
  end(stated: { readonly opening: number | null; readonly closing: number | null }): ChainRead {
    const last = this.#balance === null ? null : this.#balance + this.#waiting
    const [first_found, last_found] = this.#order === 'oldest_first' ? [this.#first, last] : [last, this.#first]
    const opening = stated.opening ?? first_found
    const closing = stated.closing ?? last_found
    if (stated.opening !== null && first_found !== null) this.#expect(0, stated.opening, first_found)
    if (stated.closing !== null && last_found !== null) this.#expect(0, stated.closing, last_found)
    if (first_found === null && opening !== null && closing !== null) this.#expect(0, opening + this.#sum, closing)
    const isKnown = opening !== null && closing !== null
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
  #before: WrittenRow | null = null
  #held: WrittenRow[] = []

  constructor(reckoning: Reckoning, profile: StatementProfile) {
    this.#reckoning = reckoning
    this.#profile = profile
  }

  take(row: WrittenRow): StatementRow[] {
    const { arithmetic, order } = this.#reckoning
    if (arithmetic !== 'from_balance') return [settled(row, settle(row, arithmetic))]
    const isChained = moves(row) && row.balance !== null
    if (order === 'oldest_first') {
      const fee = isChained && this.#before !== null ? feeOfStep(this.#before, row, order, this.#profile) : null
      if (isChained) this.#before = row
      return [withFee(row, fee)]
    }
    this.#held.push(row)
    if (!isChained && this.#held.length < HELD_MAX) return []
    const ready = isChained ? this.#held.slice(0, -1) : this.#held
    const rows = ready.map((one) =>
      withFee(one, isChained && one === this.#before ? feeOfStep(one, row, order, this.#profile) : null),
    )
    this.#held = isChained ? [row] : []
    this.#before = isChained ? row : null
    return rows
  }

  end(): StatementRow[] {
    return this.#held.map((row) => withFee(row, null))
  }
}

/** The most rows that wait for a balance. */
const HELD_MAX = 10_000

function withFee(row: WrittenRow, fee: number | null): StatementRow {
  const whole = fee === null ? row : { ...row, fee }
  return settled(whole, settle(whole, 'gross'))
}

function settled({ amount: _, ...row }: WrittenRow, money: { gross: number; effect: number }): StatementRow {
  return { ...row, ...money }
}
