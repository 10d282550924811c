import { refuse } from '../../acts/act.ts'
import type { ActProposal } from '../../acts/proposal.ts'
import { HOUSE, heldIn } from '../../ledger/accounts.ts'
import { postTransaction } from '../../ledger/post.ts'
import { lineBooked, lineResolved, type StrayLine } from '../../ledger/postings.ts'
import type { Effect } from '../../platform/commands/effects.ts'
import { lockStatements } from '../../statement-files/import/find-account.ts'
import { type LineRow, lockLines } from '../../statement-files/import/line-store.ts'
import { defineProposalKind } from '../proposal-kind.ts'
import { readUsedLines } from '../store.ts'
import { assignToMerchant } from './assign-to-merchant.ts'
import { closeDecidedByTwo, isDeposited, keepLine, lockDifference, reopen } from './decision-store.ts'
import type { DifferenceRow } from './difference.ts'
import { contentOf, type ToResolve } from './resolution-facts.ts'
import { accountOf, depositedWords, servesDepositWords } from './resolutions.ts'

const undone = ({ id: proposal_id, typed: { id, livemode, account, day } }: ActProposal<ToResolve>) => [
  reopen({ id, proposal_id, livemode, account, day }),
]

/**
 * A second person books what becomes of a difference. The line's suspense and the decision are booked in one transaction of the house; the merchant's half follows
 * by a job of the same transaction, because no transaction touches two merchants.
 */
export const resolving = defineProposalKind({
  act: 'reconcile.propose',
  // No import or withdrawal of the account changes the line meanwhile.
  lock: (tx, { typed }: ActProposal<ToResolve>) => lockStatements(tx, typed),
  async load(tx, { typed }) {
    const { id } = typed
    const found = (await lockDifference(tx, id))!
    const names = found.line_id === null ? [] : [{ id: found.line_id, month: found.line_month! }]
    const [line = null] = await lockLines(tx, names)
    const serves = line !== null && (await readUsedLines(tx, found.livemode, [line])).size > 0
    return { found, line, serves, is_deposited: await isDeposited(tx, typed, line) }
  },
  content: ({ typed }, { line }) => contentOf(typed, line),
  approve(proposal, { found, line, serves, is_deposited }) {
    const { typed } = proposal
    const { id, resolution, amount, merchant, credited } = typed
    if (found.proposal_id !== proposal.id || !isAsProposed(typed, found, line)) return refuse('line_differs')
    if (serves && resolution !== 'accept') return refuse('serves_deposit')
    if (is_deposited) return refuse('deposited')
    const after = { difference: id, resolution, amount, merchant, credited }
    const booked = resolution === 'accept' || line === null ? [] : bookingOf(typed, line)
    return { effects: [closeDecidedByTwo({ id, resolution }), ...booked], row: { outcome: id }, after }
  },
  refused(proposal) {
    return { effects: undone(proposal), after: { difference: proposal.typed.id } }
  },
  ended: undone,
  refusals: {
    serves_deposit: servesDepositWords,
    deposited: depositedWords,
    line_differs: [
      'La ligne du relevé a changé depuis. Refusez la demande : l’écart s’ouvre de nouveau.',
      'The line of the statement changed since. Refuse the proposal: the difference opens again.',
    ],
  },
})

/** Whether the difference and its line still say what the first person read. */
function isAsProposed({ kind, amount }: ToResolve, found: DifferenceRow, line: LineRow | null): boolean {
  if (found.kind !== kind || found.amount !== amount) return false
  if (found.line_id === null) return line === null
  return line !== null && line.state !== 'withdrawn' && line.kind === kind && Math.abs(line.gross) === amount
}

function bookingOf({ id, livemode, account, resolution, merchant, credited }: ToResolve, line: LineRow): Effect[] {
  const stray: StrayLine = { account, direction: line.direction, gross: Math.abs(line.gross), effect: line.effect }
  const about = { merchant_id: HOUSE, livemode, subject_id: id }
  const to = resolution === 'assign' ? heldIn(account) : accountOf[resolution as keyof typeof accountOf]
  const half = { difference_id: id, livemode, account, merchant_id: merchant!, balance: credited!, amount: stray.gross }
  return [
    keepLine({ id: line.id, month: line.month }),
    postTransaction({ ...about, operation: 'line_booked', legs: lineBooked(stray) }),
    postTransaction({ ...about, operation: 'line_resolved', legs: lineResolved(stray, to) }),
    ...(resolution === 'assign' ? [assignToMerchant(half)] : []),
  ]
}
