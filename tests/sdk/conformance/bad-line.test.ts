import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { Bandama, outcomeOf } from '../../../sdk/typescript/src/index.ts'
import { auditPasses } from '../../contract/payer.ts'
import { newSender, PATIENCE } from '../../contract/sender.ts'
import { type Installation, newPayer, openInstallation } from '../../harness/installation.ts'
import { openSeed, type Seed } from '../../harness/seed.ts'
import { waitFor } from '../../harness/wait-for.ts'
import { faults, openFaultProxy } from '../fault-proxy.ts'
import { type Answered, type Driver, isInstalled, type Language, languages, openDriver } from './driver.ts'

// Each SDK behind a line that drops, cuts, doubles, delays, garbles and limits: whatever the line does, each order of the program exists once.

/** The orders of a language: SDK_CALLS, which is 10000 in the night. A landing has time for 500 orders of one language, and for some of each other. */
const ordersOf = ({ name }: Language) => Number(process.env.SDK_CALLS ?? (name === 'TypeScript' ? 500 : 150))
const FUNDS = 5_000_000
/** The most events that a driver collects before it answers. */
const TAKE_MAX = 200

let installation: Installation
/** Fewer than a file may make. Each pays for several orders. */
let payers: string[]
before(async () => {
  installation = await openInstallation()
  payers = Array.from({ length: 300 }, newPayer)
})
after(() => installation[Symbol.asyncDispose]())

/** Repeats an order as a careful program does: with the same key, as long as it may have happened or was not taken yet. */
async function untilDone(order: () => Promise<Answered>) {
  for (let times = 0; times < 50; times += 1) {
    const { ok, error } = await order()
    if (error === undefined) return ok
    assert.ok(!['refused', 'usage'].includes(error.kind), `${error.code}: ${error.message}`)
  }
  throw new Error('Fifty calls did not suffice.')
}

/** Works through the ranks from 0, some at once. */
async function forEachRank(count: number, at_once: number, work: (rank: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let rank = next++; rank < count; rank = next++) await work(rank)
  }
  await Promise.all(Array.from({ length: at_once }, worker))
}

/** A merchant on a line that fails, with clients behind the line, and one beside it that reads the truth. */
async function openShop(driver: Driver, seed: Seed) {
  const { merchant, key, balances } = await newSender(installation, { funds: FUNDS })
  const { address } = installation.services[0]!
  const proxy = await openFaultProxy(address, seed, { faulty: 0.4 })
  const asking =
    (of: string) =>
    (op: string, args: unknown[], more: { call?: object; take?: number } = {}) =>
      driver.ask({ client: { key: of, url: proxy.url, timeout_ms: 1_500, retries: 3 }, op, args, ...more })
  const truth = { collect: new Bandama({ key: merchant.key, url: address }), pay: new Bandama({ key, url: address }) }
  return { proxy, collect: asking(merchant.key), pay: asking(key), truth, balances }
}

type Shop = Awaited<ReturnType<typeof openShop>>
type Orders = { payments: Map<string, string>; payouts: Map<string, string>; batches: Map<string, string> }

const beneficiary = { msisdn: '0700000000', name: 'Awa' }

/** Places one order of the program, whatever the line does, and notes its id. */
async function place({ collect, pay }: Shop, { payments, payouts, batches }: Orders, rank: number): Promise<void> {
  const reference = `order-${rank}`
  const call = { idempotency_key: `stored-${rank}` }
  if (rank % 20 === 19) {
    const lines = [{ amount: 50, beneficiary }]
    const { id } = await untilDone(() => pay('batches.create', [{ reference, lines }], { call }))
    batches.set(reference, id)
    await untilDone(() => executeOnce(pay, id))
  } else if (rank % 4 === 3) {
    const order = { amount: 100, beneficiary, reference }
    payouts.set(reference, (await untilDone(() => pay('payouts.create', [order], { call }))).id)
  } else {
    const order = {
      amount: 200,
      counterparty: { msisdn: payers[rank % payers.length]! },
      merchant_reference: reference,
    }
    payments.set(reference, (await untilDone(() => collect('payments.create', [order]))).id)
  }
}

/** A line that doubles may show the refusal of the second request: the batch says what became of the first. */
async function executeOnce(pay: Shop['pay'], id: string): Promise<Answered> {
  const answer = await pay('batches.execute', [id])
  if (answer.error?.code !== 'batch_not_executable') return answer
  const read = await pay('batches.get', [id])
  if (read.error === undefined) assert.notEqual(read.ok.status, 'brouillon')
  return read
}

async function runOnBadLine(language: Language, context: TestContext): Promise<void> {
  await using driver = openDriver(language)
  const shop = await openShop(driver, openSeed(context))
  await using proxy = shop.proxy
  const orders: Orders = { payments: new Map(), payouts: new Map(), batches: new Map() }
  const { payments, payouts, batches } = orders
  const count = ordersOf(language)
  await forEachRank(count, language.processes * language.at_once, (rank) => place(shop, orders, rank))
  context.diagnostic(JSON.stringify(proxy.counts))
  if (count >= 500) for (const fault of faults) assert.notEqual(proxy.counts[fault], 0, fault)

  const { truth } = shop
  await followPayments(shop, new Set(payments.values()))
  for (const id of batches.values()) assert.equal(outcomeOf(await untilEnded(truth.pay, id)), 'paid')
  const made = await Array.fromAsync(truth.collect.payments.list({ limit: 100 }))
  assert.deepEqual(new Map(made.map((one) => [one.merchant_reference, one.id])), payments)
  assert.equal(made.length, payments.size)
  const sent = await Array.fromAsync(truth.pay.payouts.list({ limit: 100 }))
  const single = sent.filter(({ reference }) => reference !== null)
  assert.deepEqual(new Map(single.map(({ reference, id }) => [reference, id])), payouts)
  assert.equal(sent.length, payouts.size + batches.size)
  const prepared = await Array.fromAsync(truth.pay.batches.list({ limit: 100 }))
  assert.deepEqual(new Map(prepared.map(({ reference, id }) => [reference, id])), batches)
  assert.equal(prepared.length, batches.size)
  assert.equal((await shop.balances()).transfer, FUNDS - 100 * payouts.size - 50 * batches.size)
}

function untilEnded(client: Bandama, id: string) {
  return waitFor(async () => {
    const batch = await client.batches.get(id)
    return batch.status === 'en_cours' ? null : batch
  }, PATIENCE)
}

/** Follows the feed on the same line until each payment has succeeded. A follower that ends goes on from its cursor, as after a crash. */
async function followPayments({ collect }: Shop, waiting: Set<string>): Promise<void> {
  const seen = new Set<string>()
  for (let after = 'begin'; waiting.size > 0; ) {
    const take = Math.min(TAKE_MAX, waiting.size)
    const { ok, error, items } = await collect('events.follow', [{ after, types: ['payment.succeeded'] }], { take })
    assert.ok(error === undefined || error.kind === 'unreadable', String(error?.message))
    for (const { event, cursor } of ok ?? items ?? []) {
      after = cursor
      assert.ok(!seen.has(event.id), `${event.id} came twice`)
      seen.add(event.id)
      waiting.delete(event.data.id)
    }
  }
}

for (const language of languages) {
  test(
    `${language.name}: on a line that fails in every way no order exists twice, none is lost`,
    {
      timeout: 60_000 + ordersOf(language) * 300,
      skip: !isInstalled(language) && `${language.command[0]} is not installed`,
    },
    (context) => runOnBadLine(language, context),
  )
}

test('the books are right after the bad lines', () => auditPasses(installation))
