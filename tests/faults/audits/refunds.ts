import assert from 'node:assert/strict'
import { adjustmentChecks } from '../../../src/app/audit/adjustment-checks.ts'
import { refundChecks } from '../../../src/app/audit/refund-checks.ts'
import { createClock } from '../../../src/platform/clock.ts'
import { newId } from '../../../src/values/ids.ts'
import { openAnomalyDesk } from '../../contract/anomaly-desk.ts'
import { newCollector } from '../../contract/collector.ts'
import { openRefundDesk } from '../../contract/refund-desk.ts'
import { actor } from '../../harness/actor.ts'
import { decideAdjustment, proposeAdjustment } from '../../harness/adjustments.ts'
import { depositToTransfer } from '../../harness/fill-transfer.ts'
import type { Installation } from '../../harness/installation.ts'
import type { Harm, Harmed } from './harm.ts'

// Every other test trusts the audit. So these tests break each of its checks about refunds, adjustments and anomalies once.

/** Refunds, adjustments and anomalies in every state in which they can stay. */
export async function liveRefunds(installation: Installation): Promise<void> {
  const { sql } = installation.db
  const merchant = await newCollector(installation)
  const refunds = openRefundDesk(installation)
  const whole = await merchant.collect(1_000)
  await refunds.until((await refunds.made(whole.id)).id, 'succeeded')
  const parts = await merchant.collect(1_000)
  await refunds.until((await refunds.made(parts.id, { amount: 300 })).id, 'succeeded')
  await refunds.close((await refunds.made(parts.id, { amount: 200, by_hand: true })).id)
  await refunds.made(parts.id, { amount: 100, by_hand: true })
  const refusing = await merchant.collect(1_000, { to: '0707070001', simulate: true })
  await refunds.until((await refunds.made(refusing.id)).id, 'failed')

  const deps = { sql, clock: createClock() }
  for (const status of ['approved', 'refused', null] as const) {
    const about = { counterpart: 'fees', reason: 'A gesture', proposed_by: actor('ama@example.com') }
    const proposed = await proposeAdjustment(deps, { ...merchant.tenant, ...about, direction: 'credit', amount: 50 })
    assert.ok(proposed.kind === 'proposed')
    if (status !== null)
      await decideAdjustment(sql, proposed.adjustment.id, { status, decided_by: actor('kofi@example.com') })
  }
  const filled = await depositToTransfer(sql, merchant.tenant, 700, createClock())
  assert.ok(filled.kind === 'booked')
  const returned = await refunds.made((await merchant.collect(1_000)).id, { amount: 400, by_hand: true })
  const refunded = { act: 'refund.create', subject: returned.payment_id, amount: 400, outcome: returned.id }
  const booked = { act: 'balance.deposit', subject: null, amount: 700, outcome: filled.id }
  for (const { act, subject, amount, outcome } of [refunded, booked]) {
    const { merchant_id, livemode } = merchant.tenant
    await sql`
      insert into act_proposals (merchant_id, livemode, id, act, subject, amount, typed, content, proposed_by, status,
                                 decided_by, decided_at, outcome)
      values (${merchant_id}, ${livemode}, ${newId('prp', Date.now())}, ${act}, ${subject}, ${amount}, '{}', '{}',
              'ama@example.com', 'approved', 'kofi@example.com', clock_now(), ${outcome})`
  }
  const desk = openAnomalyDesk(installation, merchant)
  await desk.settle((await desk.amountMismatch()).anomaly.id, { resolution: 'as_proven', amount: 1_001 })
  await desk.settle((await desk.amountMismatch()).anomaly.id, { resolution: 'returned_by_hand', amount: 1_001 })
  const { anomaly } = await desk.amountMismatch()
  await desk.propose(anomaly.id, {})
  await desk.decide(anomaly.id, false)
  const late = await merchant.collect(1_000)
  await sql`
    insert into anomalies (merchant_id, livemode, subject_id, kind, fact, id, operator, evidence)
    values (${merchant.tenant.merchant_id}, false, ${late.id}, 'second_success', '', 'ano_late', null, '{}')`
  await desk.settle('ano_late', { resolution: 'credit_available', amount: 10 })
}

/** The tables whose triggers would refuse these changes. */
const guarded = [
  'ledger_entries',
  'ledger_transactions',
  'accounts',
  'payments',
  'refunds',
  'refund_transitions_log',
  'adjustments',
  'anomaly_proposals',
  'act_proposals',
]

/** The harm and the check that must find it. Other checks may find it too. */
const harms: [string, Harm][] = [
  [
    'every refund debited its parts from the available balance and the fees once, and nothing else did',
    (tx) => tx`update refunds set fee_amount = fee_amount - 1, net_amount = net_amount + 1 where fee_amount > 0`,
  ],
  [
    'every refund debited its parts from the available balance and the fees once, and nothing else did',
    (tx) => tx`delete from ledger_entries where operation = 'refund_started' and account = 'fees'`,
  ],
  [
    'every refund that failed returned its parts once, and no other refund did',
    (tx) => tx`update refunds set status = 'succeeded' where status = 'failed'`,
  ],
  [
    'every refund that failed returned its parts once, and no other refund did',
    (tx) => tx`update refunds set status = 'failed' where status = 'succeeded' and not by_hand`,
  ],
  [
    'no refunds exceed their payment, and a full refund is exact to the franc',
    (
      tx,
    ) => tx`update refunds set amount = amount + 501, amount_returned = amount_returned + 501, net_amount = net_amount + 501
                where status = 'manual'`,
  ],
  [
    'no refunds exceed their payment, and a full refund is exact to the franc',
    (tx) => tx`update refunds set fee_amount = fee_amount - 1, net_amount = net_amount + 1 where amount = 1000`,
  ],
  [
    'amount_refunded of every payment is the sum of its refunds that succeeded, and its status agrees',
    (tx) => tx`update payments set amount_refunded = amount_refunded - 1 where status = 'partially_refunded'`,
  ],
  [
    'amount_refunded of every payment is the sum of its refunds that succeeded, and its status agrees',
    (tx) => tx`update payments set status = 'succeeded' where status = 'refunded'`,
  ],
  [
    'every refund by an operator has one instruction, with the same outcome',
    (tx) => tx`update instructions set state = 'refused' where direction = 'refund' and state = 'confirmed'`,
  ],
  [
    'every refund by an operator has one instruction, with the same outcome',
    (tx) => tx`update instructions set refund_of = null where direction = 'refund'`,
  ],
  [
    'the status of every refund is that of its last transition',
    (tx) => tx`delete from refund_transitions_log where number = 1`,
  ],
  [
    'every adjustment that two people approved is booked once, and no other adjustment is',
    (tx) => tx`update adjustments set status = 'approved', decided_by = 'x', decided_at = clock_now()
                where status = 'proposed'`,
  ],
  [
    'every adjustment that two people approved is booked once, and no other adjustment is',
    (tx) => tx`update adjustments set counterpart = 'held:bank' where status = 'approved'`,
  ],
  [
    'an anomaly is closed if and only if two people approved its resolution, or its statement line fits by now',
    (tx) => tx`update anomalies set closed_at = clock_now() where closed_at is null`,
  ],
  [
    'an anomaly is closed if and only if two people approved its resolution, or its statement line fits by now',
    (tx) => tx`update anomalies set closed_at = null where closed_at is not null`,
  ],
  [
    'every approved resolution of an anomaly is booked as approved',
    (tx) => tx`update anomaly_proposals set amount = amount + 1 where resolution = 'returned_by_hand'`,
  ],
  [
    'every approved resolution of an anomaly is booked as approved',
    (tx) => tx`update anomaly_proposals set amount = amount + 1 where resolution = 'credit_available'`,
  ],
  [
    'every approved resolution of an anomaly is booked as approved',
    (tx) => tx`update anomaly_proposals set adjustment_id = 'adj_none' where adjustment_id is not null`,
  ],
  ...['amount = amount + 1', "outcome = 'none'"].flatMap((change) =>
    ['balance.deposit', 'refund.create'].map((act): [string, Harm] => [
      'every deposit and refund that two people approved is made, with the approved sum',
      (tx) => tx.unsafe(`update act_proposals set ${change} where act = '${act}'`),
    ]),
  ),
]

export const refunds: Harmed = { checks: [...refundChecks, ...adjustmentChecks], guarded, harms }
