import { foldBankReference } from '../../values/bank-reference.ts'
import type { SettlementRow } from '../settlement.ts'
import { namedIn, REFERENCE_SURE } from './line-keys.ts'
import type { MatchedLine } from './line-match.ts'
import type { BankLine } from './read-lines.ts'

/**
 * Transfers of which money came in again: by our id, or by the reference and the sum; a bank that gives the return a reference of its own often
 * writes the first one in the label. A line whose direction or sum cannot be read counts as one that came in.
 */
export function returnsIn(matched: readonly MatchedLine[]) {
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
