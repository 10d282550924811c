import type { CapReason } from './payout-request.ts'

/** The caps on a merchant's payouts in one mode, in francs. */
export type Caps = {
  /** Largest single payout. */
  operation: number
  /** Largest sum within the last 24 hours, including requests that wait for approval. */
  day: number
}

/** Funds and usage of a merchant in francs: first as read under its lock, then as each decision leaves them. */
export type SpendingState = {
  /** The transfer balance. */
  transfer: number
  /** The sum that counts towards the day's cap. */
  used: number
}

export type PayoutDecision =
  | { kind: 'created' }
  | { kind: 'held'; reason: CapReason; cap: number }
  | { kind: 'refused'; code: 'insufficient_funds' }

/**
 * Decides whether a payout is made, is held back by a cap, or is refused for lack of funds; caps come first. Pure
 * except that it updates `spending`, so that each request of a batch is decided on what the one before left. A held
 * payout counts towards the day's cap like a sent one.
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
