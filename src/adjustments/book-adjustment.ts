import { accountKey } from '../ledger/book.ts'
import { lockAccounts, post } from '../ledger/post.ts'
import { adjustment as legsOf } from '../ledger/postings.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { AdjustmentRow } from './adjustment.ts'

/**
 * The available balance does not cover a debit. Thrown, so that everything decided with it in the same transaction is
 * undone; the opener of the transaction turns it into a refusal.
 */
export class NotCovered extends Error {
  override name = 'NotCovered'
}

/**
 * Books an adjustment that was approved, in the transaction that approves it.
 * @throws NotCovered when it would bring the available balance below zero
 */
export async function bookAdjustment(tx: Tx, adjustment: AdjustmentRow): Promise<void> {
  const { merchant_id, livemode, id, direction, counterpart } = adjustment
  const legs = legsOf({ counterpart, amount: direction === 'credit' ? adjustment.amount : -adjustment.amount })
  const locked = await lockAccounts(
    tx,
    legs.map(({ account }) => ({ merchant_id, livemode, account })),
  )
  const available = locked.get(accountKey({ merchant_id, livemode, account: 'available' }))!.balance
  if (direction === 'debit' && adjustment.amount > available) throw new NotCovered()
  await post(tx, [{ merchant_id, livemode, subject_id: id, operation: 'adjustment', legs }])
}
