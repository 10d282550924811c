import { operatorAccount } from './accounts.ts'

/** One line of a posting: a positive amount is a credit, a negative one a debit, in francs. */
export type Leg = { readonly account: string; readonly amount: number }

/** What can be booked. Each operation is booked once for one subject: the database refuses a second time. */
export type Operation = 'collection_confirmed' | 'deposit'

/**
 * A payer's money has arrived at the operator: we owe the merchant the net amount and have earned the fee.
 * `net_amount + fee_amount` is what was collected.
 */
export function collectionConfirmed(payment: {
  operator: string | null
  amount_collected: number
  net_amount: number
  fee_amount: number
}): Leg[] {
  return withoutZero([
    { account: operatorAccount(payment.operator), amount: -payment.amount_collected },
    { account: 'available', amount: payment.net_amount },
    { account: 'fees', amount: payment.fee_amount },
  ])
}

/** The merchant has brought money to the bank for its payouts. */
export function deposit(amount: number): Leg[] {
  return [
    { account: 'bank', amount: -amount },
    { account: 'transfer', amount },
  ]
}

/** A leg of nothing is not booked: a payment without commission has two legs. */
function withoutZero(legs: Leg[]): Leg[] {
  return legs.filter((leg) => leg.amount !== 0)
}
