import { foldBankReference } from '../../values/bank-reference.ts'
import type { SettlementRow } from '../settlement.ts'
import { namedIn, REFERENCE_SURE } from './line-keys.ts'
import type { MatchedLine } from './line-match.ts'
import type { BankLine } from './read-lines.ts'

export type Returns = {
  /** Whether the bank returned the settlement's transfer in this file. */
  has(settlement: SettlementRow): boolean
  /** The settlements whose transfers in this file a line returns. */
  of(line: BankLine): readonly SettlementRow[]
}

/**
 * Finds the transfers of a file that the bank returned: by our id or by their reference. A bank that gives the return a reference of its own
 * often writes the first one in the label, and may deduct a charge. If transfers share a reference, the return belongs to those of its
 * amount, if there are any. A line with an unreadable direction or amount counts as money that came in.
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
