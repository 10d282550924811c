import type { SettlementRow } from '../settlement.ts'
import type { BankLine } from './read-lines.ts'

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
