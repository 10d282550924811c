import type { SettlementRow } from '../settlement.ts'
import type { BankLine } from './read-lines.ts'

/** A settlement that a line of a bank's file may have paid. */
export type Payable = {
  readonly settlement: SettlementRow
  /** The whole IBAN or number of its destination. Null when the settlement cannot be paid now. */
  readonly account: string | null
}

/** The settlements with which the lines of a file are compared. */
export type Known = {
  /** Validated settlements, and those in any state that a line names. */
  readonly payable: readonly Payable[]
  /** Settlements that were paid with a reference of a line. */
  readonly paid_with: readonly SettlementRow[]
  /** Paid settlements with the merchant and amount of a validated one: a line without our id may be their transfer. */
  readonly paid_before: readonly SettlementRow[]
  /** The newest paid settlements: money that came in may name the reference of one in its label. */
  readonly paid_lately: readonly SettlementRow[]
  /** Whether more settlements exist than were read: a line without our id may be about one of the others. */
  readonly cut: boolean
}

/**
 * The reason why a person must check a line: several settlements for the line, two lines for one settlement, a returned transfer, an
 * earlier transfer that may be this one, a line without a date or from before the validation, or more settlements than were read.
 */
export type Doubt = 'several' | 'two_lines' | 'came_back' | 'paid_before' | 'undated' | 'too_early' | 'cut'

/** The reason why a person checks the dates of a matching line: one is unreadable, before the validation, or in the future. */
export type DayDoubt = 'unread' | 'before_validation' | 'in_future'

export type LineMatch =
  /** `by`: our reference in the line, the beginning of it, the line's account, or its holder. `days`: null when its dates raise no doubt. */
  | {
      readonly kind: 'match'
      readonly settlement: SettlementRow
      readonly by: 'label' | 'beginning' | 'account' | 'holder'
      readonly days: DayDoubt | null
    }
  | { readonly kind: 'ambiguous'; readonly why: Doubt; readonly settlements: readonly SettlementRow[] }
  /** `other`: the part of the line that differs from the entered transfer, so that the bank may have made a second one. Null: none does. */
  | { readonly kind: 'recorded'; readonly settlement: SettlementRow; readonly other: 'reference' | 'day' | null }
  | { readonly kind: 'differs'; readonly what: 'amount' | 'account'; readonly settlement: SettlementRow }
  /** The settlement is not validated yet or was rejected, but money left. */
  | { readonly kind: 'not_to_be_paid'; readonly settlement: SettlementRow }
  /** Money that came in, with the settlements whose transfers the bank may have returned. */
  | { readonly kind: 'in'; readonly settlements: readonly SettlementRow[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'unread' }

export type MatchedLine = { readonly line: BankLine; readonly match: LineMatch }

/** Returns the settlements that a line may be about. */
export function settlementsOf(match: LineMatch): readonly SettlementRow[] {
  if ('settlements' in match) return match.settlements
  return 'settlement' in match ? [match.settlement] : []
}
