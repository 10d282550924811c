import type { LockedPayment } from '../../src/payments/store.ts'

/** Returns the row of a locked payment that waits to be sent, for tests without a database. */
export function paymentOf(changes: Partial<LockedPayment> = {}): LockedPayment {
  return {
    merchant_id: 1,
    livemode: false,
    id: 'txn_1',
    amount: 1_000,
    amount_collected: 1_000,
    fee_amount: 15,
    net_amount: 985,
    amount_refunded: 0,
    currency: 'XOF',
    status: 'created',
    operator: 'orange_ci',
    msisdn: '+2250700000001',
    merchant_reference: null,
    checkout_session_id: null,
    failure_code: null,
    created_at: new Date('2026-11-24T09:59:59.000Z'),
    succeeded_at: null,
    failed_at: null,
    transition_count: 0,
    ...changes,
  }
}
