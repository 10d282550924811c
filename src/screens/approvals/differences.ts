import type { NameMatch } from '../../operators/port.ts'
import { comparablePerson } from '../../values/comparable.ts'

// The facts that show an approver what is unusual. Each is one pure function that counts and does not guess.

/** The number of earlier payouts with which an amount is compared, and the fewest that suffice. */
const USUAL_MAX = 20
const USUAL_MIN = 3
/** The multiple of the mean from which an amount is unusual. */
const UNUSUAL_FROM = 1.5
/** The days in which a payout of the same amount to the same number may be a duplicate. */
export const ALIKE_DAYS = 30
/** The same for a line of a batch, because equal wages are paid once a week at most. */
export const LINE_ALIKE_DAYS = 5

/** An amount compared with the last ones, in francs. `times` is rounded to a tenth. */
export type Usual = { mean: number; payouts: number; times: number; unusual: boolean }

/**
 * Compares an amount with the mean of the last payouts of its kind.
 * @param earlier the amounts of successful payouts, newest first
 * @returns null when there are too few
 */
export function besideUsual(amount: number, earlier: readonly number[]): Usual | null {
  const some = earlier.slice(0, USUAL_MAX)
  if (some.length < USUAL_MIN) return null
  const mean = Math.round(some.reduce((sum, one) => sum + one, 0) / some.length)
  const ratio = amount / mean
  return { mean, payouts: some.length, times: Math.round(ratio * 10) / 10, unusual: ratio >= UNUSUAL_FROM }
}

/** The transfer balance after an approval, in francs. `missing` is 0 when the balance covers the payout. */
export type Funds = { transfer: number; taken: number; after: number; missing: number }

/** Computes the transfer balance after an approval. Amounts are in francs. */
export function fundsAfter(transfer: number, taken: number): Funds {
  return { transfer, taken, after: transfer - taken, missing: Math.max(0, taken - transfer) }
}

/** The usage of the cap of 24 hours after an approval, in francs. */
export type CapUse = { used: number; cap: number; exceeded: boolean }

/**
 * Computes the usage of the cap after an approval.
 * @param used the current usage
 * @param counted whether the usage contains the request already, as it does for the request's first 24 hours
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

/** The last executed batch for comparison. `percent` is how much more or less the new one has. */
export type BesideLastBatch = { total: number; percent: number; made_at: Date }

/** Compares the total of a batch with the last executed one, in francs. Null when there is none. */
export function besideLastBatch(
  total: number,
  last: { total_amount: number; created_at: Date } | null,
): BesideLastBatch | null {
  if (last === null) return null
  const percent = Math.round((total / last.total_amount - 1) * 100)
  return { total: last.total_amount, percent, made_at: last.created_at }
}

/** The fields of a batch's line. */
export type Line = {
  rank: number
  name: string | null
  label: string | null
  msisdn: string
  operator: string | null
  amount: number
  fee_amount: number
}

/** The facts that make a line unusual. */
export type LineDifferences = {
  /** Whether nothing was ever sent to this number. */
  new_number: boolean
  /** The end of the number that the same name had in the last batch, if it differs. */
  changed_from: string | null
  /** The rank of the first line of this batch with the same number. */
  same_number_as: number | null
  /** The time of the last recent payout of the same amount to this number. */
  same_amount_at: Date | null
  /** The operator's answer about the name. Null: not checked. */
  name_check: NameMatch | null
}

export type SeenLine = Line & LineDifferences & { unusual: boolean }

/**
 * Compares the lines of a batch. Unusual ones come first, each part in the order of the ranks.
 * @param earlier the earlier payouts to the number of each rank
 * @param last the lines of the last executed batch
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

/** Returns the form in which names are compared. */
function personIn(name: string | null): string {
  return comparablePerson(name ?? '')
    .trim()
    .replace(/\s+/g, ' ')
    .toLowerCase()
}
