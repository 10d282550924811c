import type { AdjustmentRow } from '../adjustments/adjustment.ts'
import { bookAdjustment } from '../adjustments/book-adjustment.ts'
import { addAdjustment } from '../adjustments/store.ts'
import { heldIn } from '../ledger/accounts.ts'
import { postTransaction } from '../ledger/post.ts'
import { returnedByHand } from '../ledger/postings.ts'
import { type AnomalyRow, closeAnomaly } from '../operators/doubts/anomaly-store.ts'
import {
  type Conclusions,
  concludeByHand,
  type EndByHand,
  hasLapsed,
  isOpen,
} from '../operators/doubts/conclude-by-hand.ts'
import type { Instruction } from '../operators/instruction.ts'
import { defineReaction, type Effect } from '../platform/commands/effects.ts'
import { tenantOf } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import type { ProposalRow } from './anomaly.ts'
import { changeOf } from './validate-resolution.ts'

// The changes by an approved resolution: the end of its order, the entries, the anomaly.

/** Whether people may end an order: it is open, or its request lapsed, whose later proof would credit money that was returned. */
export const mayEnd = (subject: Instruction): boolean => isOpen(subject) || hasLapsed(subject)

/** The end that a resolution gives an order. Null: it ends none. */
export function endOf(subject: Instruction | null, { resolution }: ProposalRow): 'succeeded' | 'failed' | null {
  if (resolution === 'as_proven') return 'succeeded'
  const gaveBack = resolution === 'returned_by_hand' && subject !== null && mayEnd(subject)
  return gaveBack || resolution === 'as_refused' ? 'failed' : null
}

type OrderEnd = {
  readonly about: AnomalyRow
  readonly proposal: ProposalRow
  readonly end: 'succeeded' | 'failed'
  readonly conclusions: Conclusions
}

/** Ends a locked order that people may end. */
export const endOrder = defineReaction<OrderEnd>('instruction', async (tx, ends) => {
  const effects: Effect[] = []
  for (const { about, proposal, end, conclusions } of ends) {
    const { id: proposal_id, amount, proposed_by, decided_by, proposed_at: looked_at, reason } = proposal
    const conclusion: EndByHand =
      end === 'succeeded' ? { kind: 'succeeded' } : { kind: 'failed', failure_code: 'cancelled' }
    const evidence = { anomaly_id: about.id, proposal_id, proposed_by, decided_by, reason }
    const established = { conclusion, evidence, looked_at, amount: amount ?? undefined }
    const ended = await concludeByHand(tx, about, established, conclusions)
    if (ended === null) throw new Error(`${about.subject_id} cannot be ended, although its lock is held.`)
    effects.push(...ended)
  }
  return effects
})

/** Closes anomalies. The adjustment is booked after the end of the order, because that may cover it. */
export const close = defineReaction<{ about: AnomalyRow; booked: readonly Effect[] }>('anomaly', async (tx, closed) => {
  for (const { about } of closed) await closeAnomaly(tx, about)
  return closed.flatMap(({ booked: effects }) => effects)
})

/** The entries beside those of the order's end. @param wallet the external account that the anomaly is about */
export function booked(
  about: AnomalyRow,
  subject: Instruction | null,
  { resolution, amount }: ProposalRow,
  adjustment: AdjustmentRow | null,
  wallet: string,
): Effect[] {
  const adjusted = adjustment === null ? [] : [addAdjustment(adjustment), bookAdjustment(adjustment)]
  // An unmatched callback's money was never booked, and only the anomaly records it.
  if (resolution !== 'returned_by_hand' || subject === null) return adjusted
  const { id: subject_id } = about
  const legs = returnedByHand({ wallet, amount: amount! })
  return [postTransaction({ ...tenantOf(about), subject_id, operation: 'returned_by_hand', legs }), ...adjusted]
}

/** The adjustment of an approved proposal. Null when the proposal leaves the merchant's balance as it is. */
export function adjustmentFor(
  about: AnomalyRow,
  subject: Instruction | null,
  { resolution, amount, of_merchant_id, reason, proposed_by }: ProposalRow,
  decided_by: string,
  now: Date,
  wallet: string,
): AdjustmentRow | null {
  const change = changeOf(subject, { resolution, amount })
  if (change === 0) return null
  return {
    merchant_id: of_merchant_id ?? about.merchant_id,
    livemode: about.livemode,
    id: newId('adj', now.getTime()),
    direction: change > 0 ? 'credit' : 'debit',
    amount: Math.abs(change),
    counterpart: heldIn(wallet),
    reason,
    anomaly_id: about.id,
    status: 'approved',
    proposed_by,
    decided_by,
    proposed_at: now,
    decided_at: now,
  }
}
