import { CHARGES, heldIn } from './accounts.ts'

/** One line of a posting: a positive amount is a credit, a negative one a debit, in francs. */
export type Leg = { readonly account: string; readonly amount: number }

/** The operations that can be booked. The database refuses to book an operation twice for one subject. */
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
  // Booked once by a migration, which moved the balances by operator to those by external account.
  | 'held_moved'
  | 'account_opened'
  // Of a line that names no order of ours: its suspense, the decision of two people, and the merchant's half of that.
  | 'line_booked'
  | 'line_resolved'
  | 'line_assigned'

/**
 * A payer's money has arrived in a wallet: we owe the merchant the net amount and have earned the fee.
 * `net_amount + fee_amount` is what was collected.
 */
export function collectionConfirmed(
  payment: { amount_collected: number; net_amount: number; fee_amount: number },
  wallet: string,
): Leg[] {
  return withoutZero([
    { account: heldIn(wallet), amount: -payment.amount_collected },
    { account: 'available', amount: payment.net_amount },
    { account: 'fees', amount: payment.fee_amount },
  ])
}

/** The merchant has brought money to a bank account for its payouts. */
export function deposit(amount: number, bank: string): Leg[] {
  return [
    { account: heldIn(bank), amount: -amount },
    { account: 'transfer', amount },
  ]
}

/** The merchant moves money that it is owed to its transfer balance. */
export function movedToTransfer(amount: number): Leg[] {
  return [
    { account: 'available', amount: -amount },
    { account: 'transfer', amount },
  ]
}

/** A payout is accepted: its amount and fee leave the transfer balance and are in flight until it ends. */
export function payoutStarted({ total_debited }: { total_debited: number }): Leg[] {
  return [
    { account: 'transfer', amount: -total_debited },
    { account: 'payouts_in_flight', amount: total_debited },
  ]
}

/** The operator has paid the beneficiary: its wallet has that much less, and we have earned the fee. */
export function payoutSucceeded(
  payout: { amount: number; fee_amount: number; total_debited: number },
  wallet: string,
): Leg[] {
  return withoutZero([
    { account: 'payouts_in_flight', amount: -payout.total_debited },
    { account: heldIn(wallet), amount: payout.amount },
    { account: 'fees', amount: payout.fee_amount },
  ])
}

/** A payout failed without money moving: the amount and the fee go back to the transfer balance. */
export function payoutFailed({ total_debited }: { total_debited: number }): Leg[] {
  return [
    { account: 'payouts_in_flight', amount: -total_debited },
    { account: 'transfer', amount: total_debited },
  ]
}

/** A merchant asks for a settlement: the amount leaves `available` and is in flight until the bank transfer. */
export function settlementRequested(amount: number): Leg[] {
  return [
    { account: 'available', amount: -amount },
    { account: 'settlements_in_flight', amount },
  ]
}

/** A settlement was rejected and nothing was transferred: the amount returns to `available`. */
export function settlementRejected(amount: number): Leg[] {
  return [
    { account: 'settlements_in_flight', amount: -amount },
    { account: 'available', amount },
  ]
}

/** Our bank has paid the merchant from an account, which has that much less. */
export function settlementPaid(amount: number, bank: string): Leg[] {
  return [
    { account: 'settlements_in_flight', amount: -amount },
    { account: heldIn(bank), amount },
  ]
}

/**
 * A refund begins. From here on its wallet has that much less, the merchant is no longer owed its part, and
 * the commission on it is no longer earned. The payer receives `net_amount + fee_amount`.
 */
export function refundStarted(refund: {
  wallet: string
  amount_returned: number
  net_amount: number
  fee_amount: number
}): Leg[] {
  return withoutZero([
    { account: 'available', amount: -refund.net_amount },
    { account: 'fees', amount: -refund.fee_amount },
    { account: heldIn(refund.wallet), amount: refund.amount_returned },
  ])
}

/** A refund failed and nothing went back to the payer: reverses `refundStarted`. */
export function refundFailed(refund: Parameters<typeof refundStarted>[0]): Leg[] {
  return refundStarted(refund).map(({ account, amount }) => ({ account, amount: -amount }))
}

/**
 * Two people correct a merchant's available balance against a counterpart: the account that holds or bears the
 * difference (an external account's, the fees).
 * @param amount francs; positive when the merchant is owed more
 */
export function adjustment({ counterpart, amount }: { counterpart: string; amount: number }): Leg[] {
  return [
    { account: counterpart, amount: -amount },
    { account: 'available', amount },
  ]
}

/**
 * A wallet received money that was never booked, and a person gave it back by hand. Both movements appear on the
 * wallet's account.
 */
export function returnedByHand({ wallet, amount }: { wallet: string; amount: number }): Leg[] {
  return [
    { account: heldIn(wallet), amount: -amount },
    { account: heldIn(wallet), amount },
  ]
}

/**
 * An operator took a charge for carrying out an order: the wallet has that much less, and the service bears the cost.
 * No merchant's balance changes.
 * @param amount francs; negative corrects a charge that was booked too high
 */
export function operatorCharged({ wallet, amount }: { wallet: string; amount: number }): Leg[] {
  return [
    { account: CHARGES, amount: -amount },
    { account: heldIn(wallet), amount },
  ]
}

/**
 * The comparison of an external account begins. The francs that its statement shows beyond the books are the company's own.
 * @param unexplained francs; negative: the statement shows less
 */
export function accountOpened({ account, unexplained }: { account: string; unexplained: number }): Leg[] {
  return [
    { account: heldIn(account), amount: -unexplained },
    { account: 'own_funds', amount: unexplained },
  ]
}

/**
 * The francs of a line that names no order of ours, without a sign, and its effect on the account, with one. They differ by the fee that the
 * holder of the account took with it.
 */
export type StrayLine = {
  readonly account: string
  readonly direction: 'in' | 'out'
  readonly gross: number
  readonly effect: number
}

const suspenseOf = ({ direction, gross }: Pick<StrayLine, 'direction' | 'gross'>) =>
  direction === 'in' ? { account: 'unassigned', moved: gross } : { account: 'disputed', moved: -gross }

/** Money moved in an external account without an order of ours. The house holds it, or is owed it, until two people know why. */
export function lineBooked(line: StrayLine): Leg[] {
  const { account, moved } = suspenseOf(line)
  return withoutZero([
    { account: heldIn(line.account), amount: -line.effect },
    { account, amount: moved },
    { account: 'bank_charges', amount: line.effect - moved },
  ])
}

/** Two people found whose the money of such a line is, or who bears it: an account of the house, or the wallet for a merchant's half. */
export function lineResolved(line: StrayLine, to: string): Leg[] {
  const { account, moved } = suspenseOf(line)
  return [
    { account, amount: -moved },
    { account: to, amount: moved },
  ]
}

/** The merchant's half: the money in the external account is its own. */
export function lineAssigned({
  account,
  gross,
  balance,
}: Pick<StrayLine, 'account' | 'gross'> & { readonly balance: 'available' | 'transfer' }): Leg[] {
  return [
    { account: heldIn(account), amount: -gross },
    { account: balance, amount: gross },
  ]
}

/** Leaves out legs of zero francs: a payment without commission has two legs. */
function withoutZero(legs: Leg[]): Leg[] {
  return legs.filter((leg) => leg.amount !== 0)
}
