/** The parts of one refund, in francs. `net_amount + fee_amount = amount_returned`, always. */
export type RefundParts = {
  /** Of the payment's `amount`, what the merchant asked for. */
  amount: number
  /** The payer receives this: `amount`, and its part of a fee that the payer bore. */
  amount_returned: number
  /** The commission that is reversed. */
  fee_amount: number
  /** The part that is no longer owed to the merchant. */
  net_amount: number
}

/** The fields of a payment that decide how its refund is divided. */
export type Divided = { amount: number; amount_collected: number; fee_amount: number }

/** The sum of a payment's refunds that have not failed: given back already, or on the way. */
export type Given = { amount: number; fee_amount: number }

/**
 * Divides a refund of `amount`, for a payment of which `given` was given back before. Pure.
 *
 * The commission is reversed pro rata and rounded down on the whole that is then refunded, less what was reversed before:
 * every part is within a franc of its share, and all parts together are exactly the payment. A refund that
 * failed leaves those after it on another sum than they were made on, by a franc or so; therefore the two bounds: no part
 * takes commission back, and none is more commission than money where the merchant bore it.
 * @param amount at least 1, and at most what is left of the payment's amount
 */
export function divideRefund(payment: Divided, given: Given, amount: number): RefundParts {
  // In BigInt: the product of two of the largest amounts is beyond what a number holds exactly.
  const reversed = (BigInt(payment.fee_amount) * BigInt(given.amount + amount)) / BigInt(payment.amount)
  const due = Math.max(0, Number(reversed) - given.fee_amount)
  if (payment.amount_collected > payment.amount) {
    // The payer bore the fee, and gets it back: the merchant gives back what it received, which is the amount.
    return { amount, amount_returned: amount + due, fee_amount: due, net_amount: amount }
  }
  const fee_amount = Math.min(due, amount)
  return { amount, amount_returned: amount, fee_amount, net_amount: amount - fee_amount }
}
