import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClock } from '../../src/platform/clock.ts'
import type { RefundRow, RefundView } from '../../src/refunds/refund.ts'
import { actor } from '../harness/actor.ts'
import { moveToTransfer } from '../harness/fill-transfer.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { livemode, otherMode } from '../harness/mode.ts'
import type { RefundOrder } from '../harness/refunds.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkRefusal } from './answers.ts'
import { type Collector, newCollector } from './collector.ts'
import { refused } from './commands.ts'
import { listenFor, type Told } from './events.ts'
import { AMA, openRefundDesk, type RefundDesk } from './refund-desk.ts'
import { PATIENCE } from './sender.ts'

let installation: Installation
/** The merchant of most tests. Its server gets every event, and its commission is 1 %. */
let collector: Collector
let desk: RefundDesk
let told: Told
before(async () => {
  installation = await openInstallation({ own: 'audits all books' })
  collector = await newCollector(installation)
  desk = openRefundDesk(installation)
  told = await listenFor(installation, collector)
})
after(async () => {
  await installation[Symbol.asyncDispose]()
  await told[Symbol.asyncDispose]()
})

type Created = RefundView & { refund_id: string; repeated: boolean }

const bandama = (...words: string[]) => installation.bandama(...words)

/** `refund create` for a payment, with more words after it. */
const refund = (payment_id: string, ...words: string[]) =>
  bandama('refund', 'create', '--payment', payment_id, '--as', AMA, ...words) as unknown as Promise<Created>

const show = (id: string) => bandama('refund', 'show', '--id', id) as unknown as Promise<RefundView>

const available = async (of = collector) => (await of.balances()).available

test('a full refund costs the merchant no commission, and its webhook says so', async () => {
  const before = [await available(), await desk.earned(collector)]
  const payment = await collector.collect(10_000)
  assert.deepEqual([await available(), await desk.earned(collector)], [before[0]! + 9_900, before[1]! + 100])
  const created = await refund(payment.id, '--reason', 'The goods never came')
  const { refund_id, repeated, created_at, ...rest } = created
  assert.match(refund_id, /^rfd_[0-9a-z]{26}$/)
  assert.equal(repeated, false)
  assert.deepEqual(rest, {
    id: refund_id,
    object: 'refund',
    payment_id: payment.id,
    status: 'requested',
    amount: 10_000,
    amount_returned: 10_000,
    fee_amount: 100,
    net_amount: 9_900,
    currency: 'XOF',
    operator: payment.operator,
    by_hand: false,
    reason: 'The goods never came',
    requested_by: AMA,
    closed_by: null,
    hand_reference: null,
    closing_reason: null,
    failure_code: null,
    merchant_id: collector.tenant.merchant_id,
    livemode,
    concluded_at: null,
  })
  assert.deepEqual(
    [await available(), await desk.earned(collector)],
    before,
    'taken at once, whatever the operator says',
  )
  const refunded = await collector.untilPayment(payment.id, 'refunded')
  assert.deepEqual(refunded, { ...payment, status: 'refunded', amount_refunded: 10_000 })
  const events = await told.until(payment.id, ['payment.pending', 'payment.succeeded', 'payment.refunded'])
  assert.deepEqual(events.at(-1)!.data, refunded, 'the event says what reading says')
  const shown = await show(refund_id)
  assert.equal(shown.status, 'succeeded')
  assert.ok(shown.concluded_at !== null && shown.concluded_at >= created_at)
  assert.deepEqual([await available(), await desk.earned(collector)], before)
})

test('parts are refunded one after the other, each with its event, and together they are the payment', async () => {
  const before = [await available(), await desk.earned(collector)]
  const payment = await collector.collect(1_001)
  const parts = [333, 333, 334, 1]
  const refunds: RefundRow[] = []
  let sum = 0
  for (const [rank, amount] of parts.entries()) {
    // Two parts are of one size: without a key the second would be the first again.
    refunds.push(await desk.made(payment.id, { amount, key: `${payment.id} part ${rank}` }))
    sum += amount
    await waitFor(async () => (await collector.payment(payment.id)).amount_refunded === sum, PATIENCE)
  }
  const total = (field: 'amount_returned' | 'fee_amount' | 'net_amount') =>
    refunds.reduce((so_far, one) => so_far + one[field], 0)
  assert.equal(total('amount_returned'), payment.amount_collected)
  assert.equal(total('fee_amount'), payment.fee_amount)
  assert.equal(total('net_amount'), payment.net_amount)
  const partly = 'payment.partially_refunded'
  const events = await told.until(payment.id, [
    'payment.pending',
    'payment.succeeded',
    partly,
    partly,
    partly,
    'payment.refunded',
  ])
  const amounts = events.map(({ data }) => (data as { amount_refunded?: number }).amount_refunded)
  assert.deepEqual(amounts, [undefined, undefined, 333, 666, 1_000, 1_001])
  assert.deepEqual([await available(), await desk.earned(collector)], before)
  const listed = await bandama('refund', 'list', '--payment', payment.id)
  assert.deepEqual(
    (listed.refunds as RefundView[]).map(({ id, status }) => [id, status]),
    refunds.map(({ id }) => [id, 'succeeded']),
  )
})

test('a payer who bore the fee gets it back, and the merchant gives back what it received', async () => {
  const merchant = await newCollector(installation, { basis_points: 250, bearer: 'payer' })
  const payment = await merchant.collect(10_000)
  assert.deepEqual([payment.amount_collected, payment.net_amount], [10_250, 10_000])
  const half = await desk.made(payment.id, { amount: 5_001 })
  assert.deepEqual([half.amount_returned, half.fee_amount, half.net_amount], [5_126, 125, 5_001])
  await merchant.untilPayment(payment.id, 'partially_refunded')
  const rest = await desk.made(payment.id)
  assert.deepEqual([rest.amount, rest.amount_returned, rest.fee_amount, rest.net_amount], [4_999, 5_124, 125, 4_999])
  await merchant.untilPayment(payment.id, 'refunded')
  assert.deepEqual([await available(merchant), await desk.earned(merchant)], [0, 0])
})

test('a repeated command refunds once, and says so', async () => {
  const payment = await collector.collect(1_000)
  const first = await refund(payment.id, '--amount', '400')
  const again = await refund(payment.id, '--amount', '400', '--reason', 'typed once more')
  assert.deepEqual([again.repeated, again.id, again.reason], [true, first.id, null])

  const keyed = await desk.made(payment.id, { amount: 400, key: 'ticket-17' })
  assert.notEqual(keyed.id, first.id)
  const repeated = await desk.refund(payment.id, { amount: 400, key: 'ticket-17' })
  assert.ok(repeated.kind === 'repeated' && repeated.refund.id === keyed.id, JSON.stringify(repeated))
  const other = await collector.collect(1_000)
  for (const [id, amount] of [
    [payment.id, 200],
    [payment.id, null],
    [other.id, 400],
  ] as const) {
    const reused = await desk.refund(id, { amount, key: 'ticket-17' })
    assert.deepEqual(reused, { kind: 'refused', code: 'key_reused' })
  }
  await waitFor(async () => (await collector.payment(payment.id)).amount_refunded === 800, PATIENCE)
  const whole = await desk.made(payment.id)
  assert.equal(whole.amount, 200)
  const twice = await desk.refund(payment.id)
  assert.ok(twice.kind === 'repeated' && twice.refund.id === whole.id, 'the rest, asked for twice, is one rest')
  await collector.untilPayment(payment.id, 'refunded')
})

test('a refund of another amount that failed does not make a repeated command another refund', async () => {
  const payment = await collector.collect(1_000)
  const first = await desk.made(payment.id, { amount: 400, by_hand: true })
  await desk.close(first.id)
  for (const key of [null, 'ticket-18']) {
    const other = await desk.made(payment.id, { amount: key === null ? 200 : 400, key, by_hand: true })
    await desk.close(other.id, { kind: 'given_up', reason: 'The number is gone' })
  }
  const again = await desk.refund(payment.id, { amount: 400, by_hand: true })
  assert.deepEqual(again.kind === 'repeated' && again.refund.id, first.id, JSON.stringify(again))
  const anew = await desk.made(payment.id, { amount: 200, by_hand: true })
  await desk.close(anew.id)
  const refunded = await collector.payment(payment.id)
  assert.equal(refunded.status, 'partially_refunded')
})

test('a refund that cannot be made is refused, and nothing moves', async () => {
  const merchant = await newCollector(installation)
  const payment = await merchant.collect(1_000)
  const declined = await installation.pay(merchant.merchant.key, {
    amount: 500,
    counterparty: { msisdn: '0709990002' },
  })
  const { id: failed } = declined.json() as { id: string }
  await merchant.untilPayment(failed, 'failed')
  const before = await merchant.balances()
  const cases: [id: string, more: Partial<RefundOrder>, code: string][] = [
    ['txn_00000000000000000000000000', {}, 'resource_not_found'],
    ['nonsense', {}, 'resource_not_found'],
    [failed, {}, 'payment_not_succeeded'],
    [payment.id, { amount: 1_001 }, 'amount_above_remaining'],
    [payment.id, { livemode: !livemode }, 'other_mode'],
    [payment.id, { requested_by: actor(`key:${merchant.key_id}`) }, 'not_a_person'],
  ]
  for (const [id, more, code] of cases) {
    const result = await desk.refund(id, more)
    assert.equal(result.kind === 'refused' && result.code, code)
  }
  assert.deepEqual(await merchant.balances(), before)
  // The money has been moved to pay out from.
  await moveToTransfer(installation.db.sql, merchant.tenant, 1, createClock())
  const short = await desk.refund(payment.id)
  assert.deepEqual(short, {
    kind: 'refused',
    code: 'insufficient_funds',
    fillings: { francs: 990, sum: '990\u00a0F\u00a0CFA' },
  })
  const part = await desk.made(payment.id, { amount: 998 })
  await merchant.untilPayment(payment.id, 'partially_refunded')
  assert.equal((await merchant.balances()).available, 989 - part.net_amount)
  const above = await desk.refund(payment.id, { amount: 3 })
  assert.deepEqual(above, {
    kind: 'refused',
    code: 'amount_above_remaining',
    fillings: { francs: 2, sum: '2\u00a0F\u00a0CFA' },
  })
})

test('the commands explain their refusals in a sentence', async () => {
  const payment = await collector.collect(1_000)
  for (const [words, message, exit] of [
    [['--payment', 'txn_1'], /There is no payment txn_1/, 1],
    [['--payment', payment.id, '--amount', '1001'], /Only 1000 francs of this payment are left to refund/, 1],
    [['--payment', payment.id, '--mode', otherMode], /is of the other mode/, 1],
    [['--payment', payment.id, '--amount', '1.5'], /--amount must be a whole number/, 2],
    [['--payment', payment.id, '--reason', ' '], /--reason must be one line/, 2],
    [[], /--payment is missing/, 2],
  ] as const) {
    await refused(bandama('refund', 'create', ...words, '--as', AMA), message, exit)
  }
  await refused(show('rfd_1'), /There is no refund rfd_1/)
})

test('no route makes a refund', async () => {
  const { key } = collector.merchant
  for (const path of ['/v1-refunds', '/v1-refunds/rfd_1', '/v1-payments/txn_1/refund']) {
    for (const method of ['GET', 'POST'] as const) {
      const body = method === 'POST' ? { body: {} } : {}
      checkRefusal(
        await installation.ask({ method, path, key, ...body }),
        404,
        'resource_not_found',
        `${method} ${path}`,
      )
    }
  }
})

test('the books hold', async () => {
  const report = await bandama('audit')
  assert.equal(report.ok, true, JSON.stringify(report))
})
