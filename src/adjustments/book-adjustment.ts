import { postTransaction } from '../ledger/post.ts'
import { adjustment as legsOf } from '../ledger/postings.ts'
import type { Effect } from '../platform/commands/effects.ts'
import { tenantOf } from '../values/caller.ts'
import type { AdjustmentRow } from './adjustment.ts'

/**
 * The effect of an adjustment that was approved on the ledger, in the transaction that approves it. Applying it throws where it would bring
 * the available balance below zero (`Overdrawn`), and so undoes everything decided with it.
 */
export function bookAdjustment(adjustment: AdjustmentRow): Effect {
  const { id: subject_id, direction, counterpart } = adjustment
  const legs = legsOf({ counterpart, amount: direction === 'credit' ? adjustment.amount : -adjustment.amount })
  return postTransaction({ ...tenantOf(adjustment), subject_id, operation: 'adjustment', legs })
}
