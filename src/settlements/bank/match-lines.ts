import { foldBankReference } from '../../values/bank-reference.ts'
import type { SettlementRow } from '../settlement.ts'
import {
  accountsIn,
  bareAccount,
  bareReference,
  begunIn,
  foldName,
  namedIn,
  REFERENCE_SURE,
  referenceOf,
  referencesIn,
} from './line-keys.ts'
import type { DayDoubt, Doubt, Known, LineMatch, MatchedLine, Payable } from './line-match.ts'
import type { BankLine } from './read-lines.ts'
import { returnsIn } from './returns.ts'

/**
 * Compares each line with the settlements. If two lines fit one settlement, neither is matched. A settlement whose transfer was returned,
 * or may have been by an unreadable line, is not matched either. Pure.
 * @param today `YYYY-MM-DD`
 */
export function matchBankLines(lines: readonly BankLine[], known: Known, today: string): MatchedLine[] {
  const index = indexOf(lines, known, today)
  const matched = lines.map((line) => ({ line, match: matchLine(line, index) }))
  const returns = returnsIn(matched)
  const claims = Map.groupBy(
    matched.flatMap(({ line, match }) => claimOf(line, match) ?? []),
    (id) => id,
  )
  return matched.map(({ line, match }) => {
    if (match.kind === 'in')
      return { line, match: { kind: 'in', settlements: eachOnce([...match.settlements, ...returns.of(line)]) } }
    if (match.kind !== 'match' && match.kind !== 'recorded') return { line, match }
    const settlements = [match.settlement]
    if (match.kind === 'match' && returns.has(match.settlement))
      return { line, match: { kind: 'ambiguous', why: 'came_back', settlements } }
    if (claimOf(line, match) !== null && claims.get(match.settlement.id)!.length > 1)
      return { line, match: { kind: 'ambiguous', why: 'two_lines', settlements } }
    return { line, match }
  })
}

/**
 * The id of the settlement that a line pays, or paid, as no second line may. Null when a line has only the reference of a paid one: a bank
 * that makes many transfers as one gives all of them its reference.
 */
function claimOf(line: BankLine, match: LineMatch): string | null {
  const claims = match.kind === 'match' || (match.kind === 'recorded' && namedIn(line).includes(match.settlement.id))
  return claims ? match.settlement.id : null
}

/** The settlements for one file by their compared parts, built once for all lines. */
type Index = {
  readonly byId: ReadonlyMap<string, Payable>
  readonly validated: readonly Payable[]
  readonly byAccount: ReadonlyMap<string, readonly SettlementRow[]>
  readonly byName: ReadonlyMap<string, readonly SettlementRow[]>
  readonly paidWith: ReadonlyMap<string, readonly SettlementRow[]>
  /** By the bare reference, where it has at least `REFERENCE_SURE` characters. */
  readonly paidLately: ReadonlyMap<string, readonly SettlementRow[]>
  /** Those that were paid earlier with a reference that no line has. */
  readonly paidBefore: ReadonlyMap<string, readonly SettlementRow[]>
  readonly cut: boolean
  readonly today: string
}

function indexOf(lines: readonly BankLine[], known: Known, today: string): Index {
  const { payable, paid_with, paid_lately, paid_before, cut } = known
  const validated = payable.filter(({ settlement }) => settlement.status === 'validated')
  const settlements = validated.map(({ settlement }) => settlement)
  const references = new Set(lines.map(({ reference }) => foldBankReference(reference ?? '')))
  const elsewhere = paid_before.filter((one) => !references.has(referenceOf(one)))
  const accounts = new Map(validated.map(({ settlement, account }) => [settlement.id, bareAccount(account ?? '')]))
  return {
    byId: new Map(payable.map((one) => [one.settlement.id, one])),
    validated,
    byAccount: Map.groupBy(settlements, ({ id }) => accounts.get(id)!),
    byName: Map.groupBy(settlements, ({ name }) => foldName(name)),
    paidWith: Map.groupBy(paid_with, referenceOf),
    paidLately: Map.groupBy(
      paid_lately.filter((one) => bareReference(referenceOf(one)).length >= REFERENCE_SURE),
      (one) => bareReference(referenceOf(one)),
    ),
    paidBefore: Map.groupBy(elsewhere, paidKey),
    cut,
    today,
  }
}

function eachOnce(settlements: readonly SettlementRow[]): SettlementRow[] {
  return [...new Map(settlements.map((one) => [one.id, one])).values()]
}

function paidKey({ merchant_id, amount }: SettlementRow): string {
  return `${merchant_id} ${amount}`
}

function matchLine(line: BankLine, index: Index): LineMatch {
  const ids = namedIn(line)
  const named = ids.flatMap((id) => index.byId.get(id) ?? [])
  const paid = line.reference === null ? [] : (index.paidWith.get(foldBankReference(line.reference)) ?? [])
  // Merchants may share a reference if the bank executes many transfers as one.
  const recorded = paid.filter(({ amount }) => amount === line.amount)
  if (line.direction === 'in') {
    // The returned amount may be smaller, because the bank takes its charge.
    const ofReference = recorded.length > 0 ? recorded : paid
    const ofLabel = referencesIn(line.label).flatMap((reference) => index.paidLately.get(reference) ?? [])
    const all = [...named.map(({ settlement }) => settlement), ...ofReference, ...ofLabel]
    return { kind: 'in', settlements: eachOnce(all) }
  }
  if (line.fault !== null) return { kind: 'unread' }
  if (named.length > 1)
    return { kind: 'ambiguous', why: 'several', settlements: named.map(({ settlement }) => settlement) }
  if (named.length === 1) return judgeNamed(line, named[0]!, index)
  if (recorded[0] !== undefined) return { kind: 'recorded', settlement: recorded[0], other: null }
  if (ids.length > 0) return { kind: 'none' }
  const begun = begunIn(line).flatMap((start) =>
    index.validated.filter(({ settlement }) => settlement.id.startsWith(start)),
  )
  return begun.length > 0 ? judgeBegun(line, begun, index) : matchByDestination(line, index)
}

/** Judges a line that has the beginning of an id. It is proposed when it is the beginning of one, and the amount is that one's. */
function judgeBegun(line: BankLine, begun: readonly Payable[], index: Index): LineMatch {
  if (begun.length > 1 || index.cut) {
    const settlements = begun.map(({ settlement }) => settlement)
    return { kind: 'ambiguous', why: begun.length > 1 ? 'several' : 'cut', settlements }
  }
  const judged = judgeNamed(line, begun[0]!, index)
  return judged.kind === 'match' ? { ...judged, by: 'beginning' } : judged
}

/** Judges a line that names one settlement. */
function judgeNamed(line: BankLine, { settlement, account }: Payable, { today }: Index): LineMatch {
  const isPaid = settlement.status === 'paid'
  if (!isPaid && settlement.status !== 'validated') return { kind: 'not_to_be_paid', settlement }
  if (settlement.amount !== line.amount) return { kind: 'differs', what: 'amount', settlement }
  if (isPaid) return { kind: 'recorded', settlement, other: otherIn(line, settlement) }
  if (line.account !== '' && account !== null && !accountsIn(line).includes(bareAccount(account)))
    return { kind: 'differs', what: 'account', settlement }
  return { kind: 'match', settlement, by: 'label', days: dayDoubtOf(line, settlement, today) }
}

/** The part of a line that differs from the transfer that was entered for its settlement. Null when none does, as far as both are known. */
function otherIn({ reference, date }: BankLine, settlement: SettlementRow): 'reference' | 'day' | null {
  if (reference !== null && foldBankReference(reference) !== referenceOf(settlement)) return 'reference'
  const { booking_date } = settlement
  return date !== null && booking_date !== null && date !== booking_date ? 'day' : null
}

/** Matches a line without our reference by its account, or without one by its holder. Never a line from before the validation. */
function matchByDestination(line: BankLine, index: Index): LineMatch {
  const by = line.account === '' ? 'holder' : 'account'
  const name = foldName(line.holder)
  const same =
    by === 'account'
      ? [...new Set(accountsIn(line))].flatMap((account) => index.byAccount.get(account) ?? [])
      : name === ''
        ? []
        : (index.byName.get(name) ?? [])
  const exact = same.filter(({ amount }) => amount === line.amount)
  if (exact.length > 1) return { kind: 'ambiguous', why: 'several', settlements: exact }
  if (exact.length === 1) {
    const [settlement] = exact as [SettlementRow]
    const why = doubtOf(line, settlement, index)
    if (why !== null) return { kind: 'ambiguous', why, settlements: exact }
    return { kind: 'match', settlement, by, days: dayDoubtOf(line, settlement, index.today) }
  }
  if (same.length === 1) return { kind: 'differs', what: 'amount', settlement: same[0]! }
  return same.length === 0 ? { kind: 'none' } : { kind: 'ambiguous', why: 'several', settlements: same }
}

/** Returns why a line with a settlement's destination and amount may be another's. Null when nothing suggests it. Dates are those of Abidjan, which is on UTC. */
function doubtOf(line: BankLine, settlement: SettlementRow, { paidBefore, cut }: Index): Doubt | null {
  if (line.date === null) return 'undated'
  if (isBeforeValidation(line.date, settlement)) return 'too_early'
  // The earlier destination may be another entry of the book. The same last four characters or the same holder mean the same destination.
  const before = paidBefore
    .get(paidKey(settlement))
    ?.some(
      ({ last4, name, livemode }) =>
        livemode === settlement.livemode &&
        (last4 === settlement.last4 || foldName(name) === foldName(settlement.name)),
    )
  return before ? 'paid_before' : cut ? 'cut' : null
}

function dayDoubtOf(line: BankLine, settlement: SettlementRow, today: string): DayDoubt | null {
  const days = [line.date, line.value_date].filter((day) => day !== null)
  if (line.unread_date !== null) return 'unread'
  if (days.some((day) => isBeforeValidation(day, settlement))) return 'before_validation'
  return days.some((day) => day > today) ? 'in_future' : null
}

function isBeforeValidation(day: string, { validated_at }: SettlementRow): boolean {
  return validated_at === null || day < validated_at.toISOString().slice(0, 10)
}
