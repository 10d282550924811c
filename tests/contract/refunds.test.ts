import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { moveToTransfer } from '../../src/ledger/fill-transfer.ts'
import { createCanRefund } from '../../src/operators/can-refund.ts'
import type { Connector } from '../../src/operators/port.ts'
import { createRegistry } from '../../src/operators/registry.ts'
import { resumePayouts, stopPayouts } from '../../src/payouts/stop-payouts.ts'
import { createClock } from '../../src/platform/clock.ts'
import { violatedConstraint } from '../../src/platform/postgres/database.ts'
import { type Closing, closeRefund } from '../../src/refunds/close-refund.ts'
import { type CreateRefundResult, createRefund, type RefundOrder } from '../../src/refunds/create-refund.ts'
import type { RefundRow, RefundView } from '../../src/refunds/refund.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkRefusal } from './answers.ts'
import { type Collector, newCollector } from './collector.ts'
import { refused } from './commands.ts'
import { listenFor, type Told } from './events.ts'
import { type Installation, openInstallation } from './installation.ts'
import { PATIENCE } from './sender.ts'

const AMA = 'ama@example.com'
const KOFI = 'kofi@example.com'

let installation: Installation
/** Most tests speak of this merchant, whose server is told of everything. Its commission is 1 %. */
let collector: Collector
let told: Told
before(async () => {
  installation = await openInstallation()
  collector = await newCollector(installation)
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

/** The same without the command, for tests that are about races and endings rather than words. */
function refundDirectly(payment_id: string, more: Partial<RefundOrder> = {}): Promise<CreateRefundResult> {
  const deps = { sql: installation.db.sql, clock: createClock(), canRefund: () => true }
  const order = { amount: null, key: null, requested_by: AMA, reason: null, by_hand: false, livemode: null }
  return createRefund(deps, { ...order, payment_id, ...more })
}

/** One that is made now. */
async function made(payment_id: string, more: Partial<RefundOrder> = {}): Promise<RefundRow> {
  const result = await refundDirectly(payment_id, more)
  assert.ok(result.kind === 'created', JSON.stringify(result))
  return result.refund
}

const refundNow = async (payment_id: string) => (await made(payment_id)).id

function untilRefund(id: string, status: string): Promise<{ status: string; failure_code: string | null }> {
  return waitFor(
    async () => {
      const [row] = await installation.db.sql<{ status: string; failure_code: string | null }[]>`
        select status, failure_code from refunds where id = ${id}`
      return row!.status === status && row!
    },
    { ...PATIENCE, what: `${id} to be ${status}` },
  )
}

const available = async (of = collector) => (await of.balances()).available

async function earned({ tenant }: Collector): Promise<number> {
  const [row] = await installation.db.sql<{ balance: number }[]>`
    select balance from accounts
     where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode} and account = 'fees'`
  return row!.balance
}

test('a full refund costs the merchant no commission, and its webhook says so', async () => {
  const before = [await available(), await earned(collector)]
  const payment = await collector.collect(10_000)
  assert.deepEqual([await available(), await earned(collector)], [before[0]! + 9_900, before[1]! + 100])
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
    livemode: false,
    concluded_at: null,
  })
  assert.deepEqual([await available(), await earned(collector)], before, 'taken at once, whatever the operator says')
  const refunded = await collector.untilPayment(payment.id, 'refunded')
  assert.deepEqual(refunded, { ...payment, status: 'refunded', amount_refunded: 10_000 })
  const events = await told.until(payment.id, ['payment.pending', 'payment.succeeded', 'payment.refunded'])
  assert.deepEqual(events.at(-1)!.data, refunded, 'the event says what reading says')
  const shown = await show(refund_id)
  assert.equal(shown.status, 'succeeded')
  assert.ok(shown.concluded_at !== null && shown.concluded_at >= created_at)
  assert.deepEqual([await available(), await earned(collector)], before)
})

test('parts are refunded one after the other, each with its event, and together they are the payment', async () => {
  const before = [await available(), await earned(collector)]
  const payment = await collector.collect(1_001)
  const parts = [333, 333, 334, 1]
  const refunds: RefundRow[] = []
  let sum = 0
  for (const [rank, amount] of parts.entries()) {
    // Two parts are of one size: without a key the second would be the first again.
    refunds.push(await made(payment.id, { amount, key: `${payment.id} part ${rank}` }))
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
  assert.deepEqual([await available(), await earned(collector)], before)
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
  const half = await made(payment.id, { amount: 5_001 })
  assert.deepEqual([half.amount_returned, half.fee_amount, half.net_amount], [5_126, 125, 5_001])
  await merchant.untilPayment(payment.id, 'partially_refunded')
  const rest = await made(payment.id)
  assert.deepEqual([rest.amount, rest.amount_returned, rest.fee_amount, rest.net_amount], [4_999, 5_124, 125, 4_999])
  await merchant.untilPayment(payment.id, 'refunded')
  assert.deepEqual([await available(merchant), await earned(merchant)], [0, 0])
})

test('a command that is repeated refunds once, and says so', async () => {
  const payment = await collector.collect(1_000)
  const first = await refund(payment.id, '--amount', '400')
  const again = await refund(payment.id, '--amount', '400', '--reason', 'typed once more')
  assert.deepEqual([again.repeated, again.id, again.reason], [true, first.id, null])

  const keyed = await made(payment.id, { amount: 400, key: 'ticket-17' })
  assert.notEqual(keyed.id, first.id)
  const repeated = await refundDirectly(payment.id, { amount: 400, key: 'ticket-17' })
  assert.ok(repeated.kind === 'repeated' && repeated.refund.id === keyed.id, JSON.stringify(repeated))
  const other = await collector.collect(1_000)
  for (const [id, amount] of [
    [payment.id, 200],
    [payment.id, null],
    [other.id, 400],
  ] as const) {
    const reused = await refundDirectly(id, { amount, key: 'ticket-17' })
    assert.deepEqual(reused, { kind: 'refused', code: 'key_reused' })
  }
  await waitFor(async () => (await collector.payment(payment.id)).amount_refunded === 800, PATIENCE)
  const whole = await made(payment.id)
  assert.equal(whole.amount, 200)
  const twice = await refundDirectly(payment.id)
  assert.ok(twice.kind === 'repeated' && twice.refund.id === whole.id, 'the rest, asked for twice, is one rest')
  await collector.untilPayment(payment.id, 'refunded')
})

test('what cannot be refunded is refused, and nothing moves', async () => {
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
    [payment.id, { livemode: true }, 'other_mode'],
    [payment.id, { requested_by: `key:${merchant.key_id}` }, 'not_a_person'],
  ]
  for (const [id, more, code] of cases) {
    const result = await refundDirectly(id, more)
    assert.equal(result.kind === 'refused' && result.code, code)
  }
  assert.deepEqual(await merchant.balances(), before)
  // The money has been moved to pay out from.
  await moveToTransfer(installation.db.sql, merchant.tenant, 1, createClock())
  const short = await refundDirectly(payment.id)
  assert.deepEqual(short, { kind: 'refused', code: 'insufficient_funds', short_of: 990 })
  const part = await made(payment.id, { amount: 998 })
  await merchant.untilPayment(payment.id, 'partially_refunded')
  assert.equal((await merchant.balances()).available, 989 - part.net_amount)
  const above = await refundDirectly(payment.id, { amount: 3 })
  assert.deepEqual(above, { kind: 'refused', code: 'amount_above_remaining', left: 2 })
})

test('the commands say what is wrong in a sentence', async () => {
  const payment = await collector.collect(1_000)
  for (const [words, message, exit] of [
    [['--payment', 'txn_1'], /There is no payment txn_1/, 1],
    [['--payment', payment.id, '--amount', '1001'], /Of this payment 1000 francs are left to refund/, 1],
    [['--payment', payment.id, '--mode', 'live'], /is of the other mode/, 1],
    [['--payment', payment.id, '--amount', '1.5'], /--amount is a whole number/, 2],
    [['--payment', payment.id, '--reason', ' '], /--reason is a line/, 2],
    [[], /--payment is missing/, 2],
  ] as const) {
    await refused(bandama('refund', 'create', ...words, '--as', AMA), message, exit)
  }
  await refused(show('rfd_1'), /There is no refund rfd_1/)
})

test('no number at once gives back more than was paid, or more than is there', async () => {
  const merchant = await newCollector(installation, { basis_points: 0 })
  for (const [funds, expected] of [
    [1_000, 10],
    [450, 4],
  ] as const) {
    const payment = await merchant.collect(1_000)
    if (funds < 1_000) await moveToTransfer(installation.db.sql, merchant.tenant, 1_000 - funds, createClock())
    const results = await Promise.all(
      Array.from({ length: 25 }, (_, at) => refundDirectly(payment.id, { amount: 100, key: `${payment.id} ${at}` })),
    )
    const made = results.filter(({ kind }) => kind === 'created')
    assert.equal(made.length, expected, JSON.stringify(results.map((one) => one.kind === 'refused' && one.code)))
    await waitFor(async () => (await merchant.payment(payment.id)).amount_refunded === expected * 100, PATIENCE)
    assert.equal(await available(merchant), funds - expected * 100)
  }
})

test('the same key given at once, for one payment and for two, makes one refund', async () => {
  const [one, other] = [await collector.collect(1_000), await collector.collect(1_000)]
  for (const [rank, wanted] of [
    [one, one, one, one],
    [one, other, one, other],
  ].entries()) {
    const key = `raced ${rank}`
    const results = await Promise.all(wanted.map(({ id }) => refundDirectly(id, { amount: 100, key })))
    assert.equal(results.filter(({ kind }) => kind === 'created').length, 1, JSON.stringify(results))
    for (const result of results) {
      assert.ok(result.kind !== 'refused' || result.code === 'key_reused', JSON.stringify(result))
    }
  }
})

/** Where refunds to numbers with these ends come, the same as payouts to them. */
const endings: [end: string, status: 'succeeded' | 'failed', failure_code: string | null][] = [
  ['0001', 'failed', 'recipient_limit_reached'],
  ['0002', 'failed', 'recipient_not_found'],
  ['0003', 'succeeded', null],
  ['0004', 'succeeded', null],
  ['0005', 'succeeded', null],
  ['0006', 'failed', 'operator_refused'],
]

for (const [end, status, failure_code] of endings) {
  test(`a refund to …${end} ends ${failure_code ?? status}, and is sent once`, async () => {
    const merchant = await newCollector(installation)
    // Paid at once, so that the end of the number speaks of the refund alone.
    const payment = await merchant.collect(1_000, { to: `070777${end}`, simulate: true })
    const id = await refundNow(payment.id)
    const ended = await untilRefund(id, status)
    assert.equal(ended.failure_code, failure_code)
    const [sent] = await installation.db.sql<{ sends: number; orders: number }[]>`
      select (select count(*) from sends where subject_id = ${id}) as sends,
             (select count(*) from simulator_orders o
                join instructions i using (merchant_id, livemode, reference)
               where i.subject_id = ${id}) as orders`
    assert.deepEqual(sent, { sends: 1, orders: 1 })
    const after = await merchant.payment(payment.id)
    if (status === 'succeeded') {
      assert.deepEqual([after.status, await available(merchant), await earned(merchant)], ['refunded', 0, 0])
    } else {
      assert.deepEqual(after, payment, 'nothing has happened to the payment')
      assert.deepEqual([await available(merchant), await earned(merchant)], [990, 10], 'and the money is back')
      const again = await refundNow(payment.id)
      assert.notEqual(again, id, 'after a failure the same command is a new try')
    }
  })
}

test('the operator is told which collection it gives back', async () => {
  const payment = await collector.collect(1_000)
  const id = await refundNow(payment.id)
  const [row] = await installation.db.sql<{ refund_of: { reference: string }; amount: number; reference: string }[]>`
    select r.refund_of, r.amount, c.reference
      from instructions r, instructions c
     where r.subject_id = ${id} and c.subject_id = ${payment.id}`
  assert.equal(row!.refund_of.reference, row!.reference)
  assert.equal(row!.amount, 1_000)
  await untilRefund(id, 'succeeded')
})

/** Closes one by hand as Kofi, who asked for none, without the command. */
const close = (id: string, closing: Partial<Closing> = {}) =>
  closeRefund({ sql: installation.db.sql, clock: createClock() }, id, {
    kind: 'paid',
    hand_reference: `by hand ${id}`,
    closed_by: KOFI,
    ...closing,
  } as Closing)

test('what an operator cannot give back waits for a second person with a reference', async () => {
  const merchant = await newCollector(installation)
  const payment = await merchant.collect(2_000)
  const first = await refund(payment.id, '--amount', '500', '--manual', '--reason', 'Her wallet was closed')
  assert.deepEqual([first.status, first.by_hand], ['manual', true])
  assert.equal(await available(merchant), 1_980 - first.net_amount)
  const listed = (await bandama('refund', 'list')).refunds as RefundView[]
  assert.ok(listed.some(({ id }) => id === first.id))

  const paid = (as: string) =>
    bandama('refund', 'paid', '--id', first.id, '--reference', 'WAVE-1', '--as', as) as unknown as Promise<RefundView>
  await refused(paid(AMA), /Whoever asked for a refund cannot close it/)
  assert.deepEqual(await close(first.id, { closed_by: 'key:1' }), { kind: 'refused', code: 'same_person' })
  assert.deepEqual(await close('rfd_1'), { kind: 'refused', code: 'resource_not_found' })
  assert.deepEqual(await merchant.payment(payment.id), payment)

  const closed = await paid(KOFI)
  assert.deepEqual(
    [closed.status, closed.closed_by, closed.hand_reference, closed.requested_by],
    ['succeeded', KOFI, 'WAVE-1', AMA],
  )
  assert.equal((await merchant.payment(payment.id)).status, 'partially_refunded')
  assert.deepEqual(await close(first.id), { kind: 'refused', code: 'already_closed' })

  const other = await made(payment.id, { amount: 300, by_hand: true })
  assert.deepEqual(await close(other.id, { hand_reference: 'WAVE-1' }), { kind: 'refused', code: 'reference_used' })
  const words = ['--id', other.id, '--reason', 'She came back', '--as', KOFI]
  const cancelled = (await bandama('refund', 'cancel', ...words)) as unknown as RefundView
  assert.deepEqual(
    [cancelled.status, cancelled.failure_code, cancelled.closing_reason],
    ['failed', 'cancelled', 'She came back'],
  )
  assert.equal(await available(merchant), 1_980 - first.net_amount)
  assert.equal((await merchant.payment(payment.id)).amount_refunded, 500)

  const sent = await made(payment.id, { amount: 100 })
  assert.deepEqual(await close(sent.id), { kind: 'refused', code: 'not_by_hand' })
  await untilRefund(sent.id, 'succeeded')
  const [row] = await installation.db.sql<{ instructions: number }[]>`
    select count(*) as instructions from instructions where subject_id in (${first.id}, ${other.id})`
  assert.equal(row!.instructions, 0, 'nothing was sent for what a person gives back')
})

test('of those who close one at once one does', async () => {
  for (let round = 0; round < 5; round += 1) {
    const payment = await collector.collect(1_000)
    const before = await available()
    const { id } = await made(payment.id, { by_hand: true })
    const results = await Promise.all([
      close(id),
      close(id, { kind: 'given_up', reason: 'No' }),
      close(id, { hand_reference: `twice ${id}`, closed_by: 'yao@example.com' }),
      close(id, { kind: 'given_up', reason: 'No' }),
    ])
    const [won, ...others] = results.toSorted((one) => (one.kind === 'closed' ? -1 : 1))
    for (const other of others) assert.deepEqual(other, { kind: 'refused', code: 'already_closed' })
    const succeeded = won?.kind === 'closed' && won.refund.status === 'succeeded'
    assert.equal((await collector.payment(payment.id)).status, succeeded ? 'refunded' : 'succeeded')
    assert.equal(await available(), before - (succeeded ? 990 : 0))
  }
})

test('an operator gives back what it can: the whole, any part, or nothing', () => {
  const connector = (operator: string, refundable: 'full' | 'partial' | 'none') =>
    ({ operator, capabilities: { collect: true, payout: true, refund: refundable, callback: 'none' } }) as Connector
  const live = [connector('mtn_ci', 'partial'), connector('wave_ci', 'full'), connector('orange_ci', 'none')]
  const canRefund = createCanRefund(createRegistry(connector('simulator', 'partial'), live))
  const can = (operator: string | null, livemode = true) =>
    [true, false].map((whole) => canRefund({ livemode, operator }, whole))
  assert.deepEqual(can('mtn_ci'), [true, true])
  assert.deepEqual(can('wave_ci'), [true, false])
  assert.deepEqual(can('orange_ci'), [false, false])
  assert.deepEqual(can('moov_ci'), [false, false], 'one without a connector')
  assert.deepEqual(can('orange_ci', false), [true, true], 'in test mode the simulator can')
})

test('the kill switch holds refunds back as it does payouts, and nothing is lost', async () => {
  const { sql } = installation.db
  const payment = await collector.collect(1_000)
  const scope = { scope: 'merchant', merchant_id: collector.tenant.merchant_id } as const
  await stopPayouts(sql, scope, AMA)
  const id = await refundNow(payment.id)
  // Another merchant's goes out meanwhile, so ours had its turn.
  const other = await newCollector(installation)
  await untilRefund(await refundNow((await other.collect(1_000)).id), 'succeeded')
  await untilRefund(id, 'requested')
  await resumePayouts(sql, scope)
  await untilRefund(id, 'succeeded')
})

test('the database refuses what the code would never do', async () => {
  const { sql } = installation.db
  const payment = await collector.collect(1_000)
  const { id } = await made(payment.id, { by_hand: true, amount: 10 })
  await assert.rejects(
    sql`update refunds set status = 'succeeded', closed_by = requested_by, hand_reference = 'x', concluded_at = clock_now()
         where id = ${id}`,
    (error) => violatedConstraint(error)?.startsWith('refunds_') === true,
    'one person alone',
  )
  await assert.rejects(
    sql`update refunds set status = 'succeeded', concluded_at = clock_now() where id = ${id}`,
    (error) => violatedConstraint(error) === 'refunds_closed_by_hand',
    'nobody at all',
  )
  await assert.rejects(sql`update refunds set status = 'processing' where id = ${id}`, /does not go from manual/)
  await assert.rejects(
    sql`update refunds set amount = 11, amount_returned = 11, net_amount = 11 where id = ${id}`,
    /fixed/,
  )
  await assert.rejects(sql`delete from refunds where id = ${id}`, /append-only/)
  await assert.rejects(
    sql`update payments set amount_refunded = 1001 where id = ${payment.id}`,
    (error) => violatedConstraint(error) === 'payments_refunded_within',
  )
})

test('no route asks for a refund', async () => {
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
