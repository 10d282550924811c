import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createCanRefund } from '../../src/operators/can-refund.ts'
import type { Connector } from '../../src/operators/port.ts'
import { createRegistry } from '../../src/operators/routing/registry.ts'
import { withSimulator } from '../../src/operators/simulator/with-simulator.ts'
import { createClock } from '../../src/platform/clock.ts'
import { violatedConstraint } from '../../src/platform/postgres/failures.ts'
import type { RefundView } from '../../src/refunds/refund.ts'
import { actor } from '../harness/actor.ts'
import { decideAdjustment, proposeAdjustment } from '../harness/adjustments.ts'
import { moveToTransfer } from '../harness/fill-transfer.ts'
import { freePort } from '../harness/free-port.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { resumeByTwo, stopPayouts } from '../harness/payout-stops.ts'
import { createRefund } from '../harness/refunds.ts'
import { directContracts } from '../harness/sample-connector.ts'
import { readOperatorOrders } from '../harness/twin-as-operator.ts'
import { waitFor } from '../harness/wait-for.ts'
import { type Collector, newCollector } from './collector.ts'
import { refused } from './commands.ts'
import { AMA, asked, KOFI, openRefundDesk, type RefundDesk } from './refund-desk.ts'
import { PATIENCE } from './sender.ts'

let installation: Installation
let desk: RefundDesk
/** Its commission is 1 %. */
let collector: Collector
before(async () => {
  installation = await openInstallation({ own: 'audits all books' })
  desk = openRefundDesk(installation)
  collector = await newCollector(installation)
})
after(() => installation[Symbol.asyncDispose]())

const bandama = (...words: string[]) => installation.bandama(...words)

const available = async (of = collector) => (await of.balances()).available

test('concurrent refunds never give back more than was paid or than the balance', async () => {
  const merchant = await newCollector(installation, { basis_points: 0 })
  // First the payment bounds the refunds, because there is more than enough; then the funds do.
  await merchant.collect(4_000)
  for (const [funds, expected] of [
    [5_000, 10],
    [450, 4],
  ] as const) {
    const payment = await merchant.collect(1_000)
    if (funds < 1_000)
      await moveToTransfer(installation.db.sql, merchant.tenant, (await available(merchant)) - funds, createClock())
    const results = await Promise.all(
      Array.from({ length: 25 }, (_, at) => desk.refund(payment.id, { amount: 100, key: `${payment.id} ${at}` })),
    )
    const made = results.filter(({ kind }) => kind === 'created')
    assert.equal(made.length, expected, JSON.stringify(results.map((one) => one.kind === 'refused' && one.code)))
    await waitFor(async () => (await merchant.payment(payment.id)).amount_refunded === expected * 100, PATIENCE)
    assert.equal(await available(merchant), funds - expected * 100)
  }
})

test('one key used concurrently, for one payment and for two, makes one refund', async () => {
  const [one, other] = [await collector.collect(1_000), await collector.collect(1_000)]
  for (const [rank, wanted] of [
    [one, one, one, one],
    [one, other, one, other],
  ].entries()) {
    const key = `raced ${rank}`
    const results = await Promise.all(wanted.map(({ id }) => desk.refund(id, { amount: 100, key })))
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
    const { id } = await desk.made(payment.id)
    const ended = await desk.until(id, status)
    assert.equal(ended.failure_code, failure_code)
    const [sent] = await installation.db.sql<{ sends: number; reference: string }[]>`
      select (select count(*) from sends where subject_id = ${id}) as sends,
             (select reference::text from instructions where subject_id = ${id}) as reference`
    const taken = (await readOperatorOrders(installation.db.sql)).filter(
      ({ reference }) => reference === sent!.reference,
    )
    assert.deepEqual([sent!.sends, taken.length], [1, 1])
    const after = await merchant.payment(payment.id)
    if (status === 'succeeded') {
      assert.deepEqual([after.status, await available(merchant), await desk.earned(merchant)], ['refunded', 0, 0])
    } else {
      assert.deepEqual(after, payment, 'nothing has happened to the payment')
      assert.deepEqual([await available(merchant), await desk.earned(merchant)], [990, 10], 'and the money is back')
      const again = await desk.made(payment.id)
      assert.notEqual(again.id, id, 'after a failure the same command is a new try')
    }
  })
}

test('the operator is told which collection it gives back', async () => {
  const payment = await collector.collect(1_000)
  const { id } = await desk.made(payment.id)
  const [row] = await installation.db.sql<{ refund_of: { reference: string }; amount: number; reference: string }[]>`
    select r.refund_of, r.amount, c.reference
      from instructions r
      join instructions c on c.merchant_id = r.merchant_id
     where r.subject_id = ${id} and c.subject_id = ${payment.id}`
  assert.equal(row!.refund_of.reference, row!.reference)
  assert.equal(row!.amount, 1_000)
  await desk.until(id, 'succeeded')
})

test('a refund that the operator cannot make waits for a second person with a reference', async () => {
  const merchant = await newCollector(installation)
  const payment = await merchant.collect(2_000)
  const asked = ['--amount', '500', '--manual', '--reason', 'Her wallet was closed', '--as', AMA]
  const created = await bandama('refund', 'create', '--payment', payment.id, ...asked)
  const first = created as unknown as RefundView
  assert.deepEqual([first.status, first.by_hand], ['manual', true])
  assert.equal(await available(merchant), 1_980 - first.net_amount)
  const listed = (await bandama('refund', 'list')).refunds as RefundView[]
  assert.ok(listed.some(({ id }) => id === first.id))

  const paid = (as: string) =>
    bandama(
      'refund',
      'confirm',
      '--id',
      first.id,
      '--reference',
      'WAVE-1',
      '--as',
      as,
    ) as unknown as Promise<RefundView>
  await refused(paid(AMA), /The one who asked for a refund cannot close it/)
  assert.deepEqual(await desk.close(first.id, { closed_by: actor('key:1') }), { kind: 'refused', code: 'same_person' })
  assert.deepEqual(await desk.close('rfd_1'), { kind: 'refused', code: 'resource_not_found' })
  assert.deepEqual(await merchant.payment(payment.id), payment)

  const closed = await paid(KOFI)
  assert.deepEqual(
    [closed.status, closed.closed_by, closed.hand_reference, closed.requested_by],
    ['succeeded', KOFI, 'WAVE-1', AMA],
  )
  assert.equal((await merchant.payment(payment.id)).status, 'partially_refunded')
  assert.deepEqual(await desk.close(first.id), { kind: 'refused', code: 'already_closed' })

  const other = await desk.made(payment.id, { amount: 300, by_hand: true })
  assert.deepEqual(await desk.close(other.id, { hand_reference: 'WAVE-1' }), {
    kind: 'refused',
    code: 'reference_used',
  })
  const words = ['--id', other.id, '--reason', 'She came back', '--as', KOFI]
  const cancelled = (await bandama('refund', 'cancel', ...words)) as unknown as RefundView
  assert.deepEqual(
    [cancelled.status, cancelled.failure_code, cancelled.closing_reason],
    ['failed', 'cancelled', 'She came back'],
  )
  assert.equal(await available(merchant), 1_980 - first.net_amount)
  assert.equal((await merchant.payment(payment.id)).amount_refunded, 500)

  const sent = await desk.made(payment.id, { amount: 100 })
  assert.deepEqual(await desk.close(sent.id), { kind: 'refused', code: 'not_by_hand' })
  await desk.until(sent.id, 'succeeded')
  const [row] = await installation.db.sql<{ instructions: number }[]>`
    select count(*) as instructions from instructions where subject_id in (${first.id}, ${other.id})`
  assert.equal(row!.instructions, 0, 'nothing was sent for what a person gives back')
})

test('the statement shows what a refund took, what came back, and what two people corrected', async () => {
  const merchant = await newCollector(installation)
  const payment = await merchant.collect(1_000, { to: '0707070001', simulate: true })
  const failed = await desk.made(payment.id)
  await desk.until(failed.id, 'failed')
  const byHand = await desk.made(payment.id, { amount: 300, by_hand: true })
  const deps = { sql: installation.db.sql, clock: createClock() }
  const about = {
    direction: 'credit',
    amount: 25,
    counterpart: 'fees',
    reason: 'A gesture',
    proposed_by: actor(AMA),
  } as const
  const proposed = await proposeAdjustment(deps, { ...merchant.tenant, ...about })
  assert.ok(proposed.kind === 'proposed')
  const { id } = proposed.adjustment
  await decideAdjustment(deps.sql, id, { status: 'approved', decided_by: actor(KOFI) })

  const [today] = await deps.sql<{ day: string }[]>`select to_char(clock_now() at time zone 'UTC', 'YYYY-MM-DD') as day`
  const path = `/v1-statements?from=2026-01-01&to=${today!.day}`
  const answer = await installation.ask({ path, key: merchant.merchant.key })
  assert.equal(answer.status, 200, answer.text)
  type Movement = { id: string; type: string; direction: string; amount: number; balance: number }
  const { data, closing_balance } = answer.json() as { data: Movement[]; closing_balance: number }
  assert.deepEqual(
    data.map(({ id, type, direction, amount, balance }) => [id, type, direction, amount, balance]),
    [
      [payment.id, 'collection', 'in', 990, 990],
      [failed.id, 'refund', 'out', 990, 0],
      [failed.id, 'refund_returned', 'in', 990, 990],
      [byHand.id, 'refund', 'out', byHand.net_amount, 990 - byHand.net_amount],
      [id, 'adjustment', 'in', 25, 1_015 - byHand.net_amount],
    ],
  )
  assert.equal(closing_balance, await available(merchant))
})

test('of concurrent closings of a refund one counts', async () => {
  for (let round = 0; round < 5; round += 1) {
    const payment = await collector.collect(1_000)
    const before = await available()
    const { id } = await desk.made(payment.id, { by_hand: true })
    const results = await Promise.all([
      desk.close(id),
      desk.close(id, { kind: 'given_up', reason: 'No' }),
      desk.close(id, { hand_reference: `twice ${id}`, closed_by: actor('yao@example.com') }),
      desk.close(id, { kind: 'given_up', reason: 'No' }),
    ])
    const [won, ...others] = results.toSorted((one) => (one.kind === 'closed' ? -1 : 1))
    for (const other of others) assert.deepEqual(other, { kind: 'refused', code: 'already_closed' })
    const succeeded = won?.kind === 'closed' && won.refund.status === 'succeeded'
    assert.equal((await collector.payment(payment.id)).status, succeeded ? 'refunded' : 'succeeded')
    assert.equal(await available(), before - (succeeded ? 990 : 0))
  }
})

test('each operator refunds what it can: only the whole, any part, or nothing', () => {
  const connector = (name: string, refund: 'full' | 'partial' | 'none') => {
    const capabilities = { collect: true, collect_without_number: false, payout: true, refund }
    const reaches = (operator: string | null) => name === 'simulator' || operator === name
    return { name, capabilitiesOf: (operator) => (reaches(operator) ? capabilities : null) } as Connector
  }
  const live = [connector('mtn_ci', 'partial'), connector('wave_ci', 'full'), connector('orange_ci', 'none')]
  const canRefund = createCanRefund(
    createRegistry(withSimulator(connector('simulator', 'partial'), directContracts(live))),
  )
  const can = (operator: string | null, livemode = true) =>
    [true, false].map((whole) =>
      canRefund({ merchant_id: 1, livemode, operator, connector: livemode ? operator : 'simulator' }, whole),
    )
  assert.deepEqual(can('mtn_ci'), [true, true])
  assert.deepEqual(can('wave_ci'), [true, false])
  assert.deepEqual(can('orange_ci'), [false, false])
  assert.deepEqual(can('moov_ci'), [false, false], 'one without a connector')
  assert.deepEqual(can('orange_ci', false), [true, true], 'in test mode the simulator can')
})

test('if the operator refunds only the whole, a partial refund goes to a person', async () => {
  const deps = { sql: installation.db.sql, clock: createClock(), canRefund: (_: unknown, whole: boolean) => whole }
  const order = { ...asked, requested_by: actor(AMA) }
  const [part, whole] = [await collector.collect(1_000), await collector.collect(1_000)]
  for (const [payment, amount, status] of [
    [part, 400, 'manual'],
    [part, null, 'manual'],
    [whole, null, 'requested'],
  ] as const) {
    const result = await createRefund(deps, { ...order, payment_id: payment.id, amount })
    assert.ok(result.kind === 'created' && result.refund.status === status, JSON.stringify(result))
  }
})

test('a metric shows how long refunds have waited for a person', async () => {
  const payment = await collector.collect(1_000)
  await desk.made(payment.id, { by_hand: true })
  const port = await freePort()
  const worker = await installation.start({ args: ['--only', 'worker'], env: { METRICS_PORT: String(port) } })
  const figures = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  await waitFor(
    async () => /^bandama_waiting_for_people_seconds\{kind="refunds"\} [\d.]*[1-9]/m.test(await figures()),
    {
      ...PATIENCE,
      what: 'the figure',
    },
  )
  await worker.stop()
})

test('the kill switch holds back refunds like payouts, and loses none', async () => {
  const { sql } = installation.db
  const payment = await collector.collect(1_000)
  const scope = { scope: 'merchant', merchant_id: collector.tenant.merchant_id } as const
  await stopPayouts(sql, scope, actor(AMA))
  const { id } = await desk.made(payment.id)
  // Another merchant's goes out meanwhile, so ours had its turn.
  const other = await newCollector(installation)
  const sent = await desk.made((await other.collect(1_000)).id)
  await desk.until(sent.id, 'succeeded')
  await desk.until(id, 'requested')
  await resumeByTwo(sql, scope)
  await desk.until(id, 'succeeded')
})

test('the database itself refuses refunds that the code never makes', async () => {
  const { sql } = installation.db
  const payment = await collector.collect(1_000)
  const { id } = await desk.made(payment.id, { by_hand: true, amount: 10 })
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

test('the books hold', async () => {
  const report = await bandama('audit')
  assert.equal(report.ok, true, JSON.stringify(report))
})
