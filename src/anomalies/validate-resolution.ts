import { hasLapsed, isOpen } from '../operators/doubts/conclude-by-hand.ts'
import type { Instruction } from '../operators/instruction.ts'
import type { AnomalyKind } from '../operators/sending/decide.ts'
import type { Resolution } from './anomaly.ts'

/** The instruction that an anomaly is about, as it stands; null when the reference is none of ours. */
export type Subject = Pick<Instruction, 'direction' | 'state' | 'failure_code' | 'amount'> | null

export type Proposed = { resolution: Resolution; amount: number | null; of_merchant_id: number | null }

export type ResolutionError =
  | 'does_not_fit'
  | 'amount_needed'
  | 'amount_not_taken'
  | 'merchant_needed'
  | 'merchant_not_taken'

/**
 * Whether this is a way to close this anomaly; null when it is. Pure.
 *
 * An open instruction can only be ended: after an adjustment beside it, the operator's own proof could still arrive and book
 * the money twice. An ended instruction is not ended again: it is adjusted. Credited money goes back to its payer as a
 * refund, never from here.
 */
export function validateResolution(kind: AnomalyKind, subject: Subject, proposed: Proposed): ResolutionError | null {
  const { resolution, amount, of_merchant_id } = proposed
  if (!fits(subject, resolution)) return 'does_not_fit'
  const namesMerchant = subject === null && resolution === 'credit_available'
  if (namesMerchant && of_merchant_id === null) return 'merchant_needed'
  if (!namesMerchant && of_merchant_id !== null) return 'merchant_not_taken'
  if (resolution === 'nothing' || resolution === 'as_refused') return amount === null ? null : 'amount_not_taken'
  // Where the operator moved another amount, a person says which; otherwise it moved the amount that we asked for.
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
 * By how much what is owed to the merchant changes when something ends as it was asked for although the operator moved
 * another amount. Francs; positive: more is owed. Of a collection the operator holds what it collected; of a payout or a
 * refund it has paid out what it says.
 */
export function difference({ direction, amount }: NonNullable<Subject>, moved: number): number {
  return direction === 'collect' ? moved - amount : amount - moved
}

/** By how much a resolution changes what is owed to the merchant, beside the end of what it is about. Francs; positive: more is owed. Pure. */
export function changeOf(subject: Subject, { resolution, amount }: Pick<Proposed, 'resolution' | 'amount'>): number {
  if (resolution === 'credit_available') return amount!
  if (resolution === 'debit_available') return -amount!
  return resolution === 'as_proven' && subject !== null ? difference(subject, amount ?? subject.amount) : 0
}
