import type { Operation } from '../state.ts'

/** A refund that may be begun with this amount, or the code that refuses it, with what nobody could verify about it. */
export type RefundTerms = { amount: number } | { code: string; unverified?: string }

const UNVERIFIED = 'The exact name of this code.'

/**
 * Several partial refunds are allowed, one at a time.
 * @param asked francs; null: everything that is left
 * @param refunds all that were ever begun for this deposit
 */
export function refundTerms(
  deposit: Operation | null,
  refunds: readonly Operation[],
  asked: number | null,
): RefundTerms {
  if (deposit === null) return { code: 'NOT_FOUND', unverified: UNVERIFIED }
  if (deposit.state !== 'succeeded') return { code: 'INVALID_STATE', unverified: UNVERIFIED }
  if (refunds.some(({ state }) => state !== 'succeeded' && state !== 'failed')) return { code: 'REFUND_IN_PROGRESS' }
  const given = refunds.filter(({ state }) => state === 'succeeded').reduce((sum, { amount }) => sum + amount, 0)
  const left = deposit.amount - given
  if (left === 0) return { code: 'DEPOSIT_ALREADY_REFUNDED' }
  if (asked !== null && asked > left) return { code: 'AMOUNT_TOO_LARGE' }
  return { amount: asked ?? left }
}
