import { hasLapsed, isOpen } from '../operators/doubts/conclude-by-hand.ts'
import type { Instruction } from '../operators/instruction.ts'
import type { AnomalyKind } from '../operators/sending/decide.ts'
import type { Resolution } from './anomaly.ts'

/** The current instruction that an anomaly is about. Null when the reference is unknown. */
export type Subject = Pick<Instruction, 'direction' | 'state' | 'failure_code' | 'amount'> | null

export type Proposed = { resolution: Resolution; amount: number | null; of_merchant_id: number | null }

export type ResolutionError =
  | 'does_not_fit'
  | 'amount_needed'
  | 'amount_not_taken'
  | 'merchant_needed'
  | 'merchant_not_taken'

/**
 * Returns the reason why a resolution does not fit an anomaly, or null when it fits. Pure.
 *
 * An open instruction can only be ended: after an adjustment the operator's proof could still arrive and book the money twice. An ended
 * instruction can only be adjusted. Credited money returns to its payer by a refund, never by a resolution.
 */
export function validateResolution(kind: AnomalyKind, subject: Subject, proposed: Proposed): ResolutionError | null {
  const { resolution, amount, of_merchant_id } = proposed
  if (!fits(subject, resolution)) return 'does_not_fit'
  const namesMerchant = subject === null && resolution === 'credit_available'
  if (namesMerchant && of_merchant_id === null) return 'merchant_needed'
  if (!namesMerchant && of_merchant_id !== null) return 'merchant_not_taken'
  if (resolution === 'nothing' || resolution === 'as_refused') return amount === null ? null : 'amount_not_taken'
  // The proposal states the amount only where the operator moved another one than the order's.
  const amountNeeded = resolution !== 'as_proven' || kind === 'amount_differs'
  return amountNeeded && amount === null ? 'amount_needed' : null
}

function fits(subject: Subject, resolution: Resolution): boolean {
  if (resolution === 'nothing') return true
  if (subject === null) return resolution === 'credit_available' || resolution === 'returned_by_hand'
  const mayStillEnd = isOpen(subject) || hasLapsed(subject)
  switch (resolution) {
    case 'as_proven':
      return mayStillEnd
    case 'as_refused':
      return isOpen(subject)
    case 'returned_by_hand':
      return subject.direction === 'collect' && (isOpen(subject) || subject.state === 'refused')
    case 'credit_available':
    case 'debit_available':
      return !mayStillEnd && (subject.state === 'confirmed' || subject.state === 'refused')
  }
}

/**
 * The change of what we owe the merchant when an operation succeeds although the operator moved another amount. In francs; positive: we
 * owe more. For a collection the operator holds the amount that it collected; for a payout or a refund it has paid out the amount that it
 * states.
 */
export function difference({ direction, amount }: NonNullable<Subject>, moved: number): number {
  return direction === 'collect' ? moved - amount : amount - moved
}

/** The change of what we owe the merchant by a resolution, beside the end of the operation. In francs; positive: we owe more. Pure. */
export function changeOf(subject: Subject, { resolution, amount }: Pick<Proposed, 'resolution' | 'amount'>): number {
  if (resolution === 'credit_available') return amount!
  if (resolution === 'debit_available') return -amount!
  return resolution === 'as_proven' && subject !== null ? difference(subject, amount ?? subject.amount) : 0
}
