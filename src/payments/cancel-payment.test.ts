import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paymentOf } from '../../tests/harness/payment-row.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Tenant } from '../values/caller.ts'
import { cancelPaymentCommand } from './cancel-payment.ts'
import { type PaymentRow, paymentStatuses } from './payment.ts'
import type { LockedPayment } from './store.ts'

const now = new Date('2026-11-24T10:00:00.000Z')
const tenant: Tenant = { merchant_id: 1, livemode: false }
const endAttempt = defineEffect<PaymentRow>('checkout session', () => assert.fail('nothing is written here'))
const command = cancelPaymentCommand(endAttempt)

const payments = (payment: LockedPayment) => new Map([[`${payment.merchant_id}/${payment.livemode}/txn_1`, payment]])

function decide(payment: LockedPayment, of: Tenant = tenant) {
  return command.decide({ caller: of, idempotency: null, payment_id: 'txn_1' }, payments(payment), now)
}

test('cancelling an unsent payment fails it at once as cancelled, and the answer shows it', () => {
  const decision = decide(paymentOf())
  assert.ok(decision.kind === 'accepted')
  assert.equal(decision.reply.status, 200)
  const { status, failure_code, failed_at } = decision.reply.body as Record<string, unknown>
  assert.deepEqual([status, failure_code, failed_at], ['failed', 'cancelled', '2026-11-24T10:00:00.000Z'])
})

test('cancelling an attempt also ends it in its checkout session', () => {
  const endsAttempt = (checkout_session_id: string | null) => {
    const decision = decide(paymentOf({ checkout_session_id }))
    return (
      decision.kind === 'accepted' && decision.effects.filter(({ kind }) => kind.rank === 'checkout session').length
    )
  }
  assert.equal(endsAttempt('cs_1'), 1)
  assert.equal(endsAttempt(null), 0)
})

test('a payment in any other state is refused', () => {
  for (const status of paymentStatuses) {
    if (status === 'created') continue
    assert.deepEqual(decide(paymentOf({ status })), { kind: 'refused', code: 'payment_not_cancellable' }, status)
  }
})

test('a payment of another merchant or of the other mode is not found', () => {
  for (const of of [
    { ...tenant, merchant_id: 2 },
    { ...tenant, livemode: true },
  ]) {
    assert.deepEqual(decide(paymentOf(), of), { kind: 'refused', code: 'resource_not_found' })
  }
})

test('of two cancellations in one batch the second is refused', () => {
  const loaded = payments(paymentOf())
  const call = { caller: tenant, idempotency: null, payment_id: 'txn_1' }
  assert.equal(command.decide(call, loaded, now).kind, 'accepted')
  assert.deepEqual(command.decide(call, loaded, now), { kind: 'refused', code: 'payment_not_cancellable' })
})
