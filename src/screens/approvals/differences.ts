import type { NameMatch } from '../../operators/port.ts'
import { comparablePerson } from '../../values/comparable.ts'

// The facts by which an approver sees what is not as usual. Each is one pure function: it counts, and guesses nothing.

/** Earlier payouts with which an amount is compared, and fewer of which tell nothing. */
export const USUAL_MAX = 20
const USUAL_MIN = 3
/** From so many times the mean on, an amount is unusual. */
const UNUSUAL_FROM = 1.5
/** Days in which a payout of the same amount to the same number may be the same one asked for twice. */
export const ALIKE_DAYS = 30
/** The same for a line of a batch: wages of the same amount come once a week at most. */
export const LINE_ALIKE_DAYS = 5

/** An amount beside the last ones, in francs. `times` is rounded to a tenth. */
export type Usual = { mean: number; payouts: number; times: number; unusual: boolean }

/**
 * An amount beside the mean of the last payouts of its kind.
 * @param earlier the amounts of those that succeeded, the newest first
 * @returns null: too few to compare with
 */
export function besideUsual(amount: number, earlier: readonly number[]): Usual | null {
  const some = earlier.slice(0, USUAL_MAX)
  if (some.length < USUAL_MIN) return null
  const mean = Math.round(some.reduce((sum, one) => sum + one, 0) / some.length)
  const ratio = amount / mean
  return { mean, payouts: some.length, times: Math.round(ratio * 10) / 10, unusual: ratio >= UNUSUAL_FROM }
}

/** The transfer balance as an approval would leave it, in francs. `missing` is 0 when it covers the payout. */
export type Funds = { transfer: number; taken: number; after: number; missing: number }

export function fundsAfter(transfer: number, taken: number): Funds {
  return { transfer, taken, after: transfer - taken, missing: Math.max(0, taken - transfer) }
}

/** The sum that counts towards the cap of 24 hours once the payout is approved, in francs. */
export type CapUse = { used: number; cap: number; exceeded: boolean }

/**
 * @param used what counts now
 * @param counted whether the request is in it already: it is for its first 24 hours
 */
export function capAfter({
  used,
  cap,
  counted,
  amount,
}: {
  used: number
  cap: number
  counted: boolean
  amount: number
}): CapUse {
  const after = counted ? used : used + amount
  return { used: after, cap, exceeded: after > cap }
}

/** A batch beside the last one that was executed. `percent` more, or less; null: there is none. */
export type BesideLastBatch = { total: number; percent: number; made_at: Date }

export function besideLastBatch(
  total: number,
  last: { total_amount: number; created_at: Date } | null,
): BesideLastBatch | null {
  if (last === null) return null
  const percent = Math.round((total / last.total_amount - 1) * 100)
  return { total: last.total_amount, percent, made_at: last.created_at }
}

/** A line as it is in a batch. */
export type Line = {
  rank: number
  name: string | null
  label: string | null
  msisdn: string
  operator: string | null
  amount: number
  fee_amount: number
}

/** The facts by which a line is not as usual. */
export type LineDifferences = {
  /** Nothing was ever sent to this number. */
  new_number: boolean
  /** The end of the number that the same name had in the last batch, where this one is another. */
  changed_from: string | null
  /** Another line of this batch goes to the same number: the first of them. */
  same_number_as: number | null
  /** The last payout of the same amount to this number in the last days. */
  same_amount_at: Date | null
  /** The operator's word about the name; null: nobody asked. */
  name_check: NameMatch | null
}

export type SeenLine = Line & LineDifferences & { unusual: boolean }

/**
 * Looks at the lines of a batch, those that differ first and each part in the order of the ranks.
 * @param earlier what was sent to the number of each rank before
 * @param last the lines of the last batch that was executed
 */
export function lookAtLines(
  lines: readonly Line[],
  {
    earlier,
    checks,
    last,
  }: {
    earlier: ReadonlyMap<number, { last_sent_at: Date | null; same_amount_at: Date | null }>
    checks: ReadonlyMap<number, NameMatch | null>
    last: readonly Pick<Line, 'name' | 'msisdn'>[]
  },
): SeenLine[] {
  const firstRanks = new Map<string, number>()
  for (const { msisdn, rank } of lines) if (!firstRanks.has(msisdn)) firstRanks.set(msisdn, rank)
  const numbersOf = Map.groupBy(last, ({ name }) => personIn(name))
  const seen = lines.map((line): SeenLine => {
    const before = line.name === null ? [] : (numbersOf.get(personIn(line.name)) ?? [])
    const changed = before.length > 0 && before.every(({ msisdn }) => msisdn !== line.msisdn)
    const first = firstRanks.get(line.msisdn)!
    const sent = earlier.get(line.rank)
    const differences: LineDifferences = {
      new_number: (sent?.last_sent_at ?? null) === null,
      changed_from: changed ? before[0]!.msisdn.slice(-4) : null,
      same_number_as: first === line.rank ? null : first,
      same_amount_at: sent?.same_amount_at ?? null,
      name_check: checks.get(line.rank) ?? null,
    }
    return { ...line, ...differences, unusual: differs(differences) }
  })
  return [...seen.filter(({ unusual }) => unusual), ...seen.filter(({ unusual }) => !unusual)]
}

function differs({ new_number, changed_from, same_number_as, same_amount_at, name_check }: LineDifferences): boolean {
  const otherName = name_check === 'no_match' || name_check === 'close'
  return new_number || changed_from !== null || same_number_as !== null || same_amount_at !== null || otherName
}

/** Two writings of one name are one name. */
function personIn(name: string | null): string {
  return comparablePerson(name ?? '')
    .trim()
    .replace(/\s+/g, ' ')
    .toLowerCase()
}
