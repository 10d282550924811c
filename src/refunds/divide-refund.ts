/** The parts of one refund, in francs. `net_amount + fee_amount = amount_returned`, always. */
export type RefundParts = {
  /** The part of the payment's `amount` that is refunded. */
  amount: number
  /** The payer receives `amount`, and the fee on it where the payer bore the fee. */
  amount_returned: number
  /** The part of our commission that is reversed. */
  fee_amount: number
  /** The part that we no longer owe to the merchant. */
  net_amount: number
}

/** The fields of a payment that decide how its refund is divided. */
export type Divided = { amount: number; amount_collected: number; fee_amount: number }

/** The sum of a payment's refunds that have not failed: refunded, or on their way. */
export type Given = { amount: number; fee_amount: number }

/**
 * Divides a refund of `amount`, for a payment of which `given` was refunded before. Pure.
 *
 * The commission is reversed pro rata on the total refunded so far, rounded down, less what earlier refunds reversed. So every part is
 * within a franc of its share, and all parts add up to exactly the payment. When a refund fails, those after it were computed with
 * another total, and can be off by a franc. Two bounds follow: no refund charges commission again, and none reverses more commission
 * than its amount where the merchant bore the fee.
 * @param amount in francs, at least 1, and at most what is left of the payment's amount
 */
export function divideRefund(payment: Divided, given: Given, amount: number): RefundParts {
  // BigInt, because a number does not hold the product of two of the largest amounts exactly.
  const reversed = (BigInt(payment.fee_amount) * BigInt(given.amount + amount)) / BigInt(payment.amount)
  const due = Math.max(0, Number(reversed) - given.fee_amount)
  if (payment.amount_collected > payment.amount) {
    // The payer bore the fee and gets it back. The merchant received the amount, and returns that.
    return { amount, amount_returned: amount + due, fee_amount: due, net_amount: amount }
  }
  const fee_amount = Math.min(due, amount)
  return { amount, amount_returned: amount, fee_amount, net_amount: amount - fee_amount }
}
