import Type, { type Static } from 'typebox'
import type { Operation } from '../ledger/postings.ts'
import { objectField, time } from '../values/fields.ts'

export const movementTypes = [
  'collection',
  'refund',
  'refund_returned',
  'settlement',
  'settlement_returned',
  'transfer',
  'adjustment',
] as const
export type MovementType = (typeof movementTypes)[number]

/**
 * The type of movement of each operation of the ledger. Null: the operation does not change `available`. No two operations of one
 * subject have the same type, so that its id and the type together identify one movement.
 */
export const movementTypeOf: Record<Operation, MovementType | null> = {
  collection_confirmed: 'collection',
  moved_to_transfer: 'transfer',
  settlement_requested: 'settlement',
  settlement_rejected: 'settlement_returned',
  settlement_paid: null,
  held_moved: null,
  account_opened: null,
  line_booked: null,
  line_resolved: null,
  line_assigned: 'adjustment',
  refund_started: 'refund',
  refund_failed: 'refund_returned',
  adjustment: 'adjustment',
  returned_by_hand: null,
  deposit: null,
  payout_started: null,
  payout_succeeded: null,
  payout_failed: null,
  operator_charged: null,
  operator_charge_corrected: null,
}

/** One movement of a statement. Amounts are in francs, times in UTC. */
export const Movement = Type.Object(
  {
    id: Type.String({
      description: 'The id of the payment, the refund, the settlement… Unique together with `type`.',
    }),
    object: objectField('movement'),
    type: Type.Enum([...movementTypes], { description: 'The kind of operation that moved the balance.' }),
    direction: Type.Enum(['in', 'out'], { description: '`in`: more is owed to you after it. `out`: less.' }),
    amount: Type.Integer({ description: 'In francs, above zero; of a collection the net amount.' }),
    balance: Type.Integer({ description: 'The balance owed to you after it, in francs.' }),
    reference: Type.Union([Type.String(), Type.Null()], {
      description: 'The `merchant_reference` of the payment that was collected or refunded; null without one.',
    }),
    payment_id: Type.Union([Type.String(), Type.Null()], {
      description: 'Prefix `txn_`: the payment that was collected or refunded; null for other movements.',
    }),
    created_at: time('When it was booked.'),
  },
  { $id: 'Movement', description: 'A movement of your available balance.' },
)
export type Movement = Static<typeof Movement>

/** An entry of the account `available`, with its payment. */
export type MovementRow = {
  sequence: number
  subject_id: string
  operation: Operation
  /** In francs; a credit is positive. */
  amount: number
  balance_after: number
  payment_id: string | null
  merchant_reference: string | null
  created_at: Date
}

/**
 * Returns the movement of an entry.
 * @throws when the operation is unknown, or never changes `available`
 */
export function viewMovement(row: MovementRow): Movement {
  const type = movementTypeOf[row.operation]
  // During an upgrade a process of the earlier version may read a newer operation.
  if (!type) throw new Error(`${row.operation} is not known as a movement of what is owed.`)
  return {
    id: row.subject_id,
    object: 'movement',
    type,
    direction: row.amount > 0 ? 'in' : 'out',
    amount: Math.abs(row.amount),
    balance: row.balance_after,
    reference: row.merchant_reference,
    payment_id: row.payment_id,
    created_at: row.created_at.toISOString(),
  }
}
