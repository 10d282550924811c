import { foldBankReference } from '../../values/bank-reference.ts'
import type { SettlementRow } from '../settlement.ts'
import { namedIn, REFERENCE_SURE } from './line-keys.ts'
import type { MatchedLine } from './line-match.ts'
import type { BankLine } from './read-lines.ts'

export type Returns = {
  /** Whether money of the transfer that this file has of a settlement came in again. */
  has(settlement: SettlementRow): boolean
  /** The settlements whose transfers in this file a line that came in gives back. */
  of(line: BankLine): readonly SettlementRow[]
}

/**
 * The transfers of a file of which money came in again: by our id, or by their reference. A bank that gives the return a reference of its own
 * often writes the first one in the label, and may keep a charge of the sum. Transfers may share a reference: where the sum is that of some of
 * them, it is of those. A line whose direction or sum cannot be read counts as one that came in.
 */
export function returnsIn(matched: readonly MatchedLine[]): Returns {
  const outs = matched.flatMap(({ line, match }) =>
    match.kind === 'match'
      ? [{ settlement: match.settlement, amount: line.amount, reference: foldBankReference(line.reference ?? '') }]
      : [],
  )
  const ids = new Set<string>()
  const byLine = new Map<BankLine, readonly SettlementRow[]>()
  for (const { line } of matched) {
    if (line.direction === 'out' && line.amount !== null) continue
    const own = foldBankReference(line.reference ?? '')
    const label = foldBankReference(line.label)
    const named = outs.filter(
      ({ reference }) => reference === own || (reference.length >= REFERENCE_SURE && label.includes(reference)),
    )
    const same = named.filter(({ amount }) => amount === line.amount)
    const settlements = (same.length > 0 ? same : named).map(({ settlement }) => settlement)
    byLine.set(line, settlements)
    for (const id of [...namedIn(line), ...settlements.map((one) => one.id)]) ids.add(id)
  }
  return { has: ({ id }) => ids.has(id), of: (line) => byLine.get(line) ?? [] }
}
