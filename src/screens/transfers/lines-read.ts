import type { Say } from '../../console/say.ts'
import type { LineMatch, MatchedLine } from '../../settlements/bank/line-match.ts'
import type { BankLine } from '../../settlements/bank/read-lines.ts'
import type { SettlementRow } from '../../settlements/settlement.ts'
import { isIndependentApprover } from '../../values/independent-approver.ts'

/** A file as it was read, with the names of merchants and people in it. */
export type LinesRead = {
  readonly matched: readonly MatchedLine[]
  /** Lines without a sum. */
  readonly left_aside: number
  /** The accounts of its lines are our own, and were not compared. */
  readonly our_account: boolean
  readonly merchants: ReadonlyMap<number, string>
  readonly names: ReadonlyMap<string, string>
}

/** The match of a line. */
export type Match = Extract<LineMatch, { kind: 'match' }>
/** A line that may be entered, with its settlement. */
export type OfferedLine = { readonly line: BankLine; readonly match: Match }

/** Whether this person may enter the transfer of a settlement: another one than who asked and who validated. */
export function isIndependentOf({ made_by, validated_by }: SettlementRow, person: string): boolean {
  return [made_by, validated_by].every((other) => other === null || isIndependentApprover(other, person))
}

/** The sentence about a day that cannot be read, without its full stop. */
export function sayUnreadDate(say: Say, text: string): string {
  return say(['Date illisible : {text}', 'Unreadable date: {text}'], { text })
}
