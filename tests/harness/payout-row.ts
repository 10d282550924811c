import type { LockedPayout } from '../../src/payouts/store.ts'

/** Returns the row of a locked payout, for tests without a database. */
export function lockedPayout(changes: Partial<LockedPayout> = {}): LockedPayout {
  return {
    merchant_id: 1,
    livemode: false,
    id: 'txn_1',
    amount: 1_000,
    fee_amount: 20,
    total_debited: 1_020,
    currency: 'XOF',
    status: 'created',
    beneficiary_id: '7f0c4a52-4a57-4c1b-8f0e-6f2a54f5a001',
    is_inline: false,
    name: 'Awa Koné',
    label: null,
    msisdn: '+2250500000010',
    operator: 'mtn_ci',
    reference: null,
    batch_id: null,
    rank: null,
    failure_code: null,
    created_at: new Date('2026-11-24T10:00:00.000Z'),
    transition_count: 0,
    ...changes,
  }
}
