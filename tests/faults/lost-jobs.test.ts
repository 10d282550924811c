import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endAttempt } from '../../src/checkout/follow-payments.ts'
import type { InstructionKey } from '../../src/operators/instruction.ts'
import type { Connector, ReferencePromise } from '../../src/operators/port.ts'
import { createRegistry } from '../../src/operators/routing/registry.ts'
import { createBeginSending } from '../../src/operators/sending/begin-sending.ts'
import { createSendGroup } from '../../src/operators/sending/send-instruction.ts'
import { createSendTerms } from '../../src/operators/sending/send-terms.ts'
import { insertOrders } from '../../src/operators/simulator/store.ts'
import { withSimulator } from '../../src/operators/simulator/with-simulator.ts'
import { markPaymentSending } from '../../src/payments/collect-payment.ts'
import { createClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { openTestDatabase } from '../harness/database.ts'
import { installOn } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { checkAcknowledged, checkEvents, checkMoney, waitForEnds } from '../harness/oracle.ts'
import { startReceiver } from '../harness/receiver.ts'
import { waitFor } from '../harness/wait-for.ts'
import { askFor, type Wanted } from './load.ts'

/** Payments brought into each state. */
const EACH = 5

test('after all jobs are lost, the sweeps continue every open payment and delivery', async () => {
  await using db = await openTestDatabase()
  await using receiver = await startReceiver({ status: 500 })
  // A minute of the simulator lasts a minute, so nothing ends before the test moves the clock.
  const installation = await installOn(db.url, { SIMULATOR_DELAY_MS: '60000' })
  const merchant = await newMerchant(db.sql, {
    commission: 100,
    endpoint: { url: receiver.url, secret_key: installation.secret_key },
  })
  await using _api = await installation.start({ args: ['--only', 'api'] })
  const pay = (payer: string) => askFor({ address: installation.address, key: merchant.key, payer, times: EACH })
  const wanted: Wanted[] = []

  await using first = await installation.start({ args: ['--only', 'worker'] })
  wanted.push(...(await pay('0700000010')), ...(await pay('0700000004')))
  await waitFor(async () => {
    const { sent = 0, unknown = 0 } = await states(db.sql)
    return sent === EACH && unknown === EACH && (await failedDeliveries(db.sql)) === 2 * EACH
  })
  await first.stop()
  wanted.push(...(await pay('0700000010')))
  await beginAndDie(db.sql, { order_taken: true })
  wanted.push(...(await pay('0700000010')))
  await beginAndDie(db.sql, { order_taken: false })
  wanted.push(...(await pay('0700000010')))
  assert.deepEqual(await states(db.sql), { waiting: EACH, sending: 2 * EACH, sent: EACH, unknown: EACH })

  const lost = await db.sql<{ kind: string; jobs: number }[]>`
    with lost as (delete from jobs returning kind)
    select kind, count(*) as jobs
      from lost
     group by 1`
  const kinds = Object.fromEntries(lost.map(({ kind, jobs }) => [kind, jobs]))
  for (const kind of ['send-collections', 'simulator-call-back', 'webhooks.deliver']) {
    assert.ok((kinds[kind] ?? 0) > 0, `jobs of the kind ${kind} were lost: ${JSON.stringify(kinds)}`)
  }

  receiver.answer({ status: 200 })
  await using _second = await installation.start({ args: ['--only', 'worker'] })
  // The worker now sends the collections that were never sent, and inquires about the others.
  await db.moveClock('10 minutes')
  await waitFor(async () => {
    const { waiting = 0, sending = 0 } = await states(db.sql)
    return waiting + sending === 0
  })
  // The worker inquires three times about an order that never reached the operator, and then sends it again.
  for (const times of [1, 2, 3]) {
    await waitFor(async () => (await notFound(db.sql)) === times * EACH)
    await db.moveClock(`${10 + 10 * times} minutes`)
  }
  const allHeld = async () => {
    const { sending = 0, unknown = 0, sent } = await states(db.sql)
    return sending + unknown === 0 && sent === EACH
  }
  await waitFor(allHeld, { what: 'the operator to hold what it never heard of' })
  await db.moveClock('3 hours')
  const again = await waitForEnds(db.sql)
  assert.equal(again, EACH, 'what was begun and never heard of again')
  await checkAcknowledged(db.sql, { wanted, wrong: [] })
  await checkMoney(db.sql, installation)
  await checkEvents(db.sql, receiver, merchant)
})

/** The number of instructions in each state, and of collections that wait for one. */
async function states(sql: Sql): Promise<Record<string, number>> {
  const rows = await sql<{ state: string; count: number }[]>`
    select state, count(*) as count
      from (select state from instructions
            union all
            select 'waiting' from collection_outbox cross join json_array_elements(collections)) as everything
     group by state order by state`
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

async function notFound(sql: Sql): Promise<number> {
  const [row] = await sql<
    { count: number }[]
  >`select count(*) as count from operator_answers where outcome = 'not_found'`
  return row!.count
}

async function failedDeliveries(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from deliveries where status = 'pending' and attempts > 0`
  return row!.count
}

/** The promise of this test's simulator, whose minute lasts a minute. */
const promise: ReferencePromise = { same_reference: 'never_twice', not_found: { times: 3, after_seconds: 60 } }
const offered = { collect: true, collect_without_number: true, payout: true, refund: 'none' }
const promises = { collect: promise, payout: promise, refund: promise }

/**
 * Plays a worker that dies right after it committed to sending. The order is on its way, or with the operator already and its
 * answer lost.
 */
async function beginAndDie(sql: Sql, { order_taken }: { order_taken: boolean }): Promise<void> {
  const clock = createClock()
  const registry = createRegistry(
    withSimulator({
      name: 'simulator',
      promises,
      capabilitiesOf: () => offered,
    } as unknown as Connector),
  )
  const onlyCollections = () => assert.fail('only collections wait')
  const sendAndDie = createSendGroup({
    sql,
    begin: createBeginSending({
      sql,
      clock,
      log: createLog('silent', 'test'),
      registry,
      mark: { collect: markPaymentSending(clock, endAttempt), payout: onlyCollections, refund: onlyCollections },
      termsOf: createSendTerms(registry),
      conclude: () => assert.fail('none is too old'),
      expiry_hours: 24,
    }),
    queryOperator: () => assert.fail('nobody else has begun them'),
    async send(order) {
      if (!order_taken) return
      await sql.begin((tx) => insertOrders(tx, [{ ...order, msisdn_end: order.msisdn!.slice(-4) }]))
    },
  })
  const groups = await sql<{ group: string; collections: InstructionKey[] }[]>`
    select id as "group", collections from collection_outbox`
  for (const group of groups) await sendAndDie(group)
}
