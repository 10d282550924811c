import { foldBankReference } from '../values/bank-reference.ts'
import { comparablePerson } from '../values/comparable.ts'
import { Msisdn } from '../values/msisdn.ts'
import type { BankLine } from './read-bank-lines.ts'
import type { SettlementRow } from './settlement.ts'

/** A settlement that a line of a bank's file may have paid. */
export type Payable = {
  readonly settlement: SettlementRow
  /** The whole IBAN or number that it goes to; null: unknown, because it is not to be paid now. */
  readonly account: string | null
}

/** The settlements that lines of a file are held against. */
export type Known = {
  /** Those that are validated, and those of any status that a line names. */
  readonly payable: readonly Payable[]
  /** Those that the references of lines have paid. */
  readonly paid_with: readonly SettlementRow[]
  /** Paid ones of the same merchants and sums as the validated ones: a line without our id may be their transfer. */
  readonly paid_before: readonly SettlementRow[]
  /** Paid ones, the newest: money that came in may name the reference of one in its label. */
  readonly paid_lately: readonly SettlementRow[]
  /** There are more of them than were read: a line without our id may be about one of the others. */
  readonly cut: boolean
}

/**
 * Why a person looks at it: several settlements for one line, several lines for one settlement, money of it that came in again, a transfer of
 * before that may be this one, a line without a day or of a day before the validation, or more settlements than were read.
 */
export type Doubt = 'several' | 'two_lines' | 'came_back' | 'paid_before' | 'undated' | 'too_early' | 'cut'

/** Why a person checks the days of a line that fits: one cannot be read, is before the validation, or has not come yet. */
export type DayDoubt = 'unread' | 'before_validation' | 'in_future'

export type LineMatch =
  /** `by`: our reference in the line, its account, or its holder. `days`: null: nothing speaks against its days. */
  | {
      readonly kind: 'match'
      readonly settlement: SettlementRow
      readonly by: 'label' | 'account' | 'holder'
      readonly days: DayDoubt | null
    }
  | { readonly kind: 'ambiguous'; readonly why: Doubt; readonly settlements: readonly SettlementRow[] }
  | { readonly kind: 'recorded'; readonly settlement: SettlementRow }
  | { readonly kind: 'differs'; readonly what: 'amount' | 'account'; readonly settlement: SettlementRow }
  /** Not validated yet, or rejected: money left that should not have. */
  | { readonly kind: 'not_to_be_paid'; readonly settlement: SettlementRow }
  /** Money that came in, with the settlements that it is of: their transfers came back. */
  | { readonly kind: 'in'; readonly settlements: readonly SettlementRow[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'unread' }

export type MatchedLine = { readonly line: BankLine; readonly match: LineMatch }

/** The settlements that a line may be about. */
export function settlementsOf(match: LineMatch): readonly SettlementRow[] {
  if ('settlements' in match) return match.settlements
  return 'settlement' in match ? [match.settlement] : []
}

/** Our ids in a text, as banks write them: in capitals, or with the line below taken away. */
function settlementIdsIn(text: string): string[] {
  const found = [...text.matchAll(/(?<![0-9a-z])stl[ _-]?([0-9a-hjkmnp-tv-z]{26})(?![0-9a-z])/gi)]
  return [...new Set(found.map(([, letters]) => `stl_${letters!.toLowerCase()}`))]
}

/** The ids that a line names. */
export function namedIn({ label, reference }: BankLine): string[] {
  return settlementIdsIn(`${label} ${reference ?? ''}`)
}

/**
 * Holds each line against the settlements. Pure. A settlement that two lines could have paid is matched with neither, and one of which money
 * came in, or of which a line cannot be read, with none.
 * @param today `YYYY-MM-DD`
 */
export function matchBankLines(lines: readonly BankLine[], known: Known, today: string): MatchedLine[] {
  const index = indexOf(lines, known, today)
  const matched = lines.map((line) => ({ line, match: matchLine(line, index) }))
  const back = cameBack(matched)
  const claims = Map.groupBy(
    matched.flatMap(({ match }) => (match.kind === 'match' ? [match.settlement.id] : [])),
    (id) => id,
  )
  return matched.map(({ line, match }) => {
    if (match.kind === 'in') return { line, match: { kind: 'in', settlements: back.ofLine(line, match.settlements) } }
    if (match.kind !== 'match') return { line, match }
    const settlements = [match.settlement]
    if (back.has(line, match.settlement)) return { line, match: { kind: 'ambiguous', why: 'came_back', settlements } }
    if (claims.get(match.settlement.id)!.length > 1)
      return { line, match: { kind: 'ambiguous', why: 'two_lines', settlements } }
    return { line, match }
  })
}

/** Settlements and references of one file, gathered once for all of its lines. */
type Index = {
  readonly byId: ReadonlyMap<string, Payable>
  readonly byAccount: ReadonlyMap<string, readonly SettlementRow[]>
  readonly byName: ReadonlyMap<string, readonly SettlementRow[]>
  readonly paidWith: ReadonlyMap<string, readonly SettlementRow[]>
  /** By the bare reference, of those with one that is no chance in a label. */
  readonly paidLately: ReadonlyMap<string, readonly SettlementRow[]>
  /** Of those that were paid before with a reference that no line has. */
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

/** The reference that paid a settlement, as two of them are compared. */
function referenceOf({ bank_reference }: SettlementRow): string {
  return foldBankReference(bank_reference ?? '')
}

function paidKey({ merchant_id, amount }: SettlementRow): string {
  return `${merchant_id} ${amount}`
}

function matchLine(line: BankLine, index: Index): LineMatch {
  const ids = namedIn(line)
  const named = ids.flatMap((id) => index.byId.get(id) ?? [])
  const paid = line.reference === null ? [] : (index.paidWith.get(foldBankReference(line.reference)) ?? [])
  // Merchants may share a reference, when the bank carries out many transfers as one.
  const recorded = paid.filter(({ amount }) => amount === line.amount)
  if (line.direction === 'in') {
    // Less may come back than left: the bank takes its charge.
    const ofReference = recorded.length > 0 ? recorded : paid
    const ofLabel = referencesIn(line.label).flatMap((reference) => index.paidLately.get(reference) ?? [])
    const all = [...named.map(({ settlement }) => settlement), ...ofReference, ...ofLabel]
    return { kind: 'in', settlements: [...new Map(all.map((one) => [one.id, one])).values()] }
  }
  if (line.fault !== null) return { kind: 'unread' }
  if (named.length > 1)
    return { kind: 'ambiguous', why: 'several', settlements: named.map(({ settlement }) => settlement) }
  if (named.length === 1) return judgeNamed(line, named[0]!, index)
  if (recorded[0] !== undefined) return { kind: 'recorded', settlement: recorded[0] }
  return ids.length > 0 ? { kind: 'none' } : matchByDestination(line, index)
}

/** A line that names one settlement. */
function judgeNamed(line: BankLine, { settlement, account }: Payable, { today }: Index): LineMatch {
  if (settlement.status === 'paid') return { kind: 'recorded', settlement }
  if (settlement.status !== 'validated') return { kind: 'not_to_be_paid', settlement }
  if (settlement.amount !== line.amount) return { kind: 'differs', what: 'amount', settlement }
  if (line.account !== '' && account !== null && !accountsIn(line).includes(bareAccount(account)))
    return { kind: 'differs', what: 'account', settlement }
  return { kind: 'match', settlement, by: 'label', days: dayDoubtOf(line, settlement, today) }
}

/** A line without our reference: by the account where it has one, or else by the holder. Never one that left before the validation. */
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

/** Why a line that fits a settlement by its destination and sum may be another's; null: nothing says so. Days are those of Abidjan, which are UTC's. */
function doubtOf(line: BankLine, settlement: SettlementRow, { paidBefore, cut }: Index): Doubt | null {
  if (line.date === null) return 'undated'
  if (isBeforeValidation(line.date, settlement)) return 'too_early'
  // The destination of before may stand in the book under another entry: by its end or its holder it is the same.
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

/**
 * Transfers of which money came in again: by our id, or by the reference and the sum; a bank that gives the return a reference of its own often
 * writes the first one in the label. A line whose direction or sum cannot be read counts as one that came in.
 */
function cameBack(matched: readonly MatchedLine[]) {
  const back = matched.filter(({ line }) => line.direction !== 'out' || line.amount === null)
  const ids = new Set(back.flatMap(({ line }) => namedIn(line)))
  const bySum = Map.groupBy(
    back.map(({ line }) => ({
      amount: line.amount,
      reference: foldBankReference(line.reference ?? ''),
      label: foldBankReference(line.label),
    })),
    ({ amount }) => amount,
  )
  const isOf = (out: BankLine, one: { reference: string; label: string }) => {
    const reference = foldBankReference(out.reference ?? '')
    return one.reference === reference || (reference.length >= REFERENCE_SURE && one.label.includes(reference))
  }
  const has = (out: BankLine, { id }: SettlementRow) =>
    ids.has(id) || (bySum.get(out.amount) ?? []).some((one) => isOf(out, one))
  const outs = Map.groupBy(
    matched.flatMap(({ line, match }) => (match.kind === 'match' ? [{ line, settlement: match.settlement }] : [])),
    ({ line }) => line.amount,
  )
  /** The settlements of a line that came in, with those of the lines that left and that it is of. */
  const ofLine = (line: BankLine, settlements: readonly SettlementRow[]) => {
    const one = { reference: foldBankReference(line.reference ?? ''), label: foldBankReference(line.label) }
    const found = (outs.get(line.amount) ?? []).filter((out) => isOf(out.line, one)).map((out) => out.settlement)
    return [...new Map([...settlements, ...found].map((each) => [each.id, each])).values()]
  }
  return { has, ofLine }
}

/**
 * The lines without their account, where it is our own: one and the same on all of them, although they go to several settlements or holders, and
 * that of none of the settlements.
 * @returns null where it is not: the lines stay as they are
 */
export function withoutOurAccount(lines: readonly BankLine[], { payable }: Known): BankLine[] | null {
  const accounts = new Set(lines.map(({ account }) => bareAccount(account)))
  const [account] = accounts
  if (accounts.size !== 1 || account === '') return null
  const ids = new Set(lines.flatMap(namedIn))
  const holders = new Set(lines.map(({ holder }) => foldName(holder)).filter((name) => name !== ''))
  if (ids.size < 2 && holders.size < 2) return null
  const theirs = new Set(payable.map((one) => bareAccount(one.account ?? '')))
  if (accountsIn(lines[0]!).some((one) => theirs.has(one))) return null
  return lines.map((line) => ({ ...line, account: '' }))
}

/** Signs of a reference from which on it is no chance that a label has it. */
const REFERENCE_SURE = 5
/** Words of a reference at most, as those of a label are counted: `VIR-2026-0042` has three. */
const REFERENCE_WORDS_MAX = 8

/** The parts of a label that may be a reference, from the beginning of a word to the end of one, as `bareReference` writes them. */
function referencesIn(label: string): string[] {
  const words = [...label.matchAll(/[\p{L}\p{N}]+/gu)]
  const parts = words.flatMap((first, at) =>
    words.slice(at, at + REFERENCE_WORDS_MAX).map((last) => label.slice(first.index, last.index + last[0].length)),
  )
  return parts.map((part) => bareReference(foldBankReference(part)))
}

/** A folded reference without its signs: in a label a bank often leaves them out. */
function bareReference(folded: string): string {
  return folded.replace(/[^\p{L}\p{N}]/gu, '')
}

/** The accounts that a cell may mean, without spaces: as it stands, or the whole number of a wallet. */
function accountsIn({ account }: BankLine): string[] {
  const e164 = Msisdn.parse(account)?.e164
  return [bareAccount(account), ...(e164 === undefined ? [] : [bareAccount(e164)])].filter((bare) => bare !== '')
}

function bareAccount(text: string): string {
  return text.replace(/[^0-9a-z]/gi, '').toUpperCase()
}

/** A name without accents, case and signs. */
function foldName(name: string): string {
  return comparablePerson(name)
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
}
