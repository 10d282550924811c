import { CHARGES, operatorAccount } from './accounts.ts'

/** One line of a posting: a positive amount is a credit, a negative one a debit, in francs. */
export type Leg = { readonly account: string; readonly amount: number }

/** The operations that can be booked. Each is booked once for one subject: the database refuses a second time. */
export type Operation =
  | 'collection_confirmed'
  | 'deposit'
  | 'moved_to_transfer'
  | 'payout_started'
  | 'payout_succeeded'
  | 'payout_failed'
  | 'settlement_requested'
  | 'settlement_rejected'
  | 'settlement_paid'
  | 'refund_started'
  | 'refund_failed'
  | 'adjustment'
  | 'returned_by_hand'
  | 'operator_charged'
  | 'operator_charge_corrected'

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

/** The merchant uses what it is owed to pay out. */
export function movedToTransfer(amount: number): Leg[] {
  return [
    { account: 'available', amount: -amount },
    { account: 'transfer', amount },
  ]
}

/** A payout is accepted: its amount and fee leave the transfer balance and wait for the outcome. */
export function payoutStarted({ total_debited }: { total_debited: number }): Leg[] {
  return [
    { account: 'transfer', amount: -total_debited },
    { account: 'payouts_in_flight', amount: total_debited },
  ]
}

/** The operator has paid the beneficiary: it holds that much less for us, and we have earned the fee. */
export function payoutSucceeded(payout: {
  operator: string | null
  amount: number
  fee_amount: number
  total_debited: number
}): Leg[] {
  return withoutZero([
    { account: 'payouts_in_flight', amount: -payout.total_debited },
    { account: operatorAccount(payout.operator), amount: payout.amount },
    { account: 'fees', amount: payout.fee_amount },
  ])
}

/** Nothing has left: everything goes back, the fee with it. */
export function payoutFailed({ total_debited }: { total_debited: number }): Leg[] {
  return [
    { account: 'payouts_in_flight', amount: -total_debited },
    { account: 'transfer', amount: total_debited },
  ]
}

/** A merchant asks to be paid: the amount is no longer available to it, and waits for the transfer. */
export function settlementRequested(amount: number): Leg[] {
  return [
    { account: 'available', amount: -amount },
    { account: 'settlements_in_flight', amount },
  ]
}

/** Nothing was transferred: the merchant is owed it again. */
export function settlementRejected(amount: number): Leg[] {
  return [
    { account: 'settlements_in_flight', amount: -amount },
    { account: 'available', amount },
  ]
}

/** Our bank has paid the merchant: it holds that much less for us. */
export function settlementPaid(amount: number): Leg[] {
  return [
    { account: 'settlements_in_flight', amount: -amount },
    { account: 'bank', amount },
  ]
}

/**
 * A payer is to get money back: from here on the operator holds that much less for us, what the merchant had received of
 * it is no longer owed, and the commission on it no longer earned. `net_amount + fee_amount` is what the payer gets.
 */
export function refundStarted(refund: {
  operator: string | null
  amount_returned: number
  net_amount: number
  fee_amount: number
}): Leg[] {
  return withoutZero([
    { account: 'available', amount: -refund.net_amount },
    { account: 'fees', amount: -refund.fee_amount },
    { account: operatorAccount(refund.operator), amount: refund.amount_returned },
  ])
}

/** Nothing went back to the payer: the merchant is owed it again, and the commission is earned. */
export function refundFailed(refund: Parameters<typeof refundStarted>[0]): Leg[] {
  return refundStarted(refund).map(({ account, amount }) => ({ account, amount: -amount }))
}

/**
 * Two people correct a merchant's available balance. The other side is the account that holds or bears it (an operator's, the
 * fees, the bank).
 * @param amount positive: more is owed
 */
export function adjustment({ counterpart, amount }: { counterpart: string; amount: number }): Leg[] {
  return [
    { account: counterpart, amount: -amount },
    { account: 'available', amount },
  ]
}

/** Money that was never booked has come to an operator and was given back by hand: both are seen on its account. */
export function returnedByHand({ operator, amount }: { operator: string | null; amount: number }): Leg[] {
  return [
    { account: operatorAccount(operator), amount: -amount },
    { account: operatorAccount(operator), amount },
  ]
}

/**
 * The operator keeps or takes something for what it carried out: it holds that much less for us, and the service bears it. No balance of
 * the merchant changes.
 * @param amount negative: it took less than was booked
 */
export function operatorCharged({ operator, amount }: { operator: string | null; amount: number }): Leg[] {
  return [
    { account: CHARGES, amount: -amount },
    { account: operatorAccount(operator), amount },
  ]
}

/** A leg of nothing is not booked: a payment without commission has two legs. */
function withoutZero(legs: Leg[]): Leg[] {
  return legs.filter((leg) => leg.amount !== 0)
}
