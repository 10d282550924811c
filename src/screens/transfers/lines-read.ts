import { canDecideOn, type Decider } from '../../acts/second-person.ts'
import type { Say } from '../../console/say.ts'
import type { ExternalAccount } from '../../external-accounts/external-account.ts'
import type { LineMatch, MatchedLine } from '../../settlements/bank/line-match.ts'
import type { BankLine } from '../../settlements/bank/read-lines.ts'
import type { SettlementRow } from '../../settlements/settlement.ts'

/** The read file, with the names of its merchants and people. */
export type LinesRead = {
  readonly matched: readonly MatchedLine[]
  /** The number of lines without an amount. */
  readonly left_aside: number
  /** Whether the accounts of its lines are our own, and were not compared. */
  readonly our_account: boolean
  readonly merchants: ReadonlyMap<number, string>
  readonly names: ReadonlyMap<string, string>
  readonly reader: Decider
  /** The accounts of the mode: where it has several at banks, the person says which one paid the whole file. */
  readonly accounts: readonly ExternalAccount[]
}

/** The match of a line. */
export type Match = Extract<LineMatch, { kind: 'match' }>
/** A line that can be entered, with its settlement. */
export type OfferedLine = { readonly line: BankLine; readonly match: Match }

/** Whether the reader may enter the transfer of a settlement: they neither requested nor validated it, nor let in who did. */
export function isIndependentOf({ made_by, validated_by }: SettlementRow, reader: Decider): boolean {
  return canDecideOn(reader, [made_by, validated_by])
}

/** Writes the sentence about an unreadable date, without its full stop. */
export function sayUnreadDate(say: Say, text: string): string {
  return say(['Date illisible : {text}', 'Unreadable date: {text}'], { text })
}
