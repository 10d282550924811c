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
}

export type LineMatch =
  /** `by`: our reference in the line, its account, or its holder. */
  | { readonly kind: 'match'; readonly settlement: SettlementRow; readonly by: 'label' | 'account' | 'holder' }
  /** Several settlements for one line, or several lines for one settlement. */
  | { readonly kind: 'ambiguous'; readonly settlements: readonly SettlementRow[] }
  | { readonly kind: 'recorded'; readonly settlement: SettlementRow }
  | { readonly kind: 'differs'; readonly what: 'amount' | 'account'; readonly settlement: SettlementRow }
  /** Not validated yet, or rejected: money left that should not have. */
  | { readonly kind: 'not_to_be_paid'; readonly settlement: SettlementRow }
  | { readonly kind: 'none' }
  | { readonly kind: 'unread' }

export type MatchedLine = { readonly line: BankLine; readonly match: LineMatch }

/** The settlements that a line may be about. */
export function settlementsOf(match: LineMatch): readonly SettlementRow[] {
  if (match.kind === 'ambiguous') return match.settlements
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

/** Holds each line against the settlements. Pure. A settlement that two lines could have paid is matched with neither. */
export function matchBankLines(lines: readonly BankLine[], known: Known): MatchedLine[] {
  const matched = lines.map((line) => ({ line, match: matchLine(line, known) }))
  const claimed = Map.groupBy(
    matched.flatMap(({ match }) => (match.kind === 'match' ? [match.settlement.id] : [])),
    (id) => id,
  )
  return matched.map(({ line, match }) =>
    match.kind === 'match' && claimed.get(match.settlement.id)!.length > 1
      ? { line, match: { kind: 'ambiguous', settlements: [match.settlement] } }
      : { line, match },
  )
}

function matchLine(line: BankLine, { payable, paid_with }: Known): LineMatch {
  if (line.fault !== null) return { kind: 'unread' }
  const ids = namedIn(line)
  const named = payable.filter(({ settlement }) => ids.includes(settlement.id))
  if (named.length > 1) return { kind: 'ambiguous', settlements: named.map(({ settlement }) => settlement) }
  if (named.length === 1) return judgeNamed(line, named[0]!)
  // Merchants may share a reference, when the bank carries out many transfers as one.
  const reference = foldBankReference(line.reference!)
  const recorded = paid_with.find(
    (one) => one.amount === line.amount && foldBankReference(one.bank_reference!) === reference,
  )
  if (recorded !== undefined) return { kind: 'recorded', settlement: recorded }
  return ids.length > 0 ? { kind: 'none' } : matchByDestination(line, payable)
}

/** A line that names one settlement. */
function judgeNamed(line: BankLine, { settlement, account }: Payable): LineMatch {
  if (settlement.status === 'paid') return { kind: 'recorded', settlement }
  if (settlement.status !== 'validated') return { kind: 'not_to_be_paid', settlement }
  if (settlement.amount !== line.amount) return { kind: 'differs', what: 'amount', settlement }
  if (line.account !== '' && account !== null && !isAccount(line.account, account))
    return { kind: 'differs', what: 'account', settlement }
  return { kind: 'match', settlement, by: 'label' }
}

/** A line without our reference: by the account where it has one, or else by the holder. */
function matchByDestination(line: BankLine, payable: readonly Payable[]): LineMatch {
  const by = line.account === '' ? 'holder' : 'account'
  const same = payable
    .filter(({ settlement }) => settlement.status === 'validated')
    .filter(({ settlement, account }) =>
      by === 'account'
        ? account !== null && isAccount(line.account, account)
        : line.holder !== '' && foldName(line.holder) === foldName(settlement.name),
    )
    .map(({ settlement }) => settlement)
  const exact = same.filter(({ amount }) => amount === line.amount)
  if (exact.length === 1) return { kind: 'match', settlement: exact[0]!, by }
  if (exact.length > 1) return { kind: 'ambiguous', settlements: exact }
  if (same.length === 1) return { kind: 'differs', what: 'amount', settlement: same[0]! }
  return same.length === 0 ? { kind: 'none' } : { kind: 'ambiguous', settlements: same }
}

function isAccount(written: string, account: string): boolean {
  const bare = (text: string) => text.replace(/[^0-9a-z]/gi, '').toUpperCase()
  return bare(written) === bare(account) || bare(Msisdn.parse(written)?.e164 ?? '-') === bare(account)
}

/** A name without accents, case and signs. */
function foldName(name: string): string {
  return comparablePerson(name)
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
}
