import type { CapReason } from './payout-request.ts'

/** The caps on a merchant's payouts in one mode, in francs. */
export type Caps = {
  /** Largest single payout. */
  operation: number
  /** Largest sum within the last 24 hours, what waits for approval included. */
  day: number
}

/** Funds and usage of a merchant in francs, as read under its lock and as each decision leaves them. */
export type SpendingState = {
  /** The transfer balance. */
  transfer: number
  /** The sum that counts towards the 24 hours. */
  used: number
}

export type PayoutDecision =
  | { kind: 'created' }
  | { kind: 'held'; reason: CapReason; cap: number }
  | { kind: 'refused'; code: 'insufficient_funds' }

/**
 * Whether a payout is made, held back by a cap, or refused for want of funds; caps come first. Pure but for `spending`,
 * which it moves on, so that the requests that waited together are decided one after the other, each on what the one
 * before left. A held payout counts towards the 24 hours like a sent one.
 */
export function decidePayout(
  caps: Caps,
  spending: SpendingState,
  payout: { amount: number; total_debited: number },
): PayoutDecision {
  const { amount, total_debited } = payout
  const reason: CapReason | null =
    amount > caps.operation ? 'plafond_operation' : spending.used + amount > caps.day ? 'plafond_24h' : null
  if (reason !== null) {
    spending.used += amount
    return { kind: 'held', reason, cap: reason === 'plafond_operation' ? caps.operation : caps.day }
  }
  if (total_debited > spending.transfer) return { kind: 'refused', code: 'insufficient_funds' }
  spending.used += amount
  spending.transfer -= total_debited
  return { kind: 'created' }
}
