import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Bandama, BandamaError, outcomeOf } from '../../sdk/typescript/src/index.ts'
import { auditPasses } from '../contract/payer.ts'
import { newSender, PATIENCE } from '../contract/sender.ts'
import { type Installation, newPayer, openInstallation } from '../harness/installation.ts'
import { openSeed, type Seed } from '../harness/seed.ts'
import { waitFor } from '../harness/wait-for.ts'
import { faults, openFaultProxy } from './fault-proxy.ts'

// The client behind a line that drops, cuts, doubles, delays, garbles and limits: whatever the line does, each order of the program exists once.

/** The orders of a run. SDK_CALLS=10000 in the night. */
const CALLS = Number(process.env.SDK_CALLS ?? 200)
const AT_ONCE = 32
const FUNDS = 5_000_000

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.asyncDispose]())

/** Repeats an order as a careful program does: with the same key, as long as it may have happened or was not taken yet. */
async function untilDone<Result>(order: () => Promise<Result>): Promise<Result> {
  for (let times = 0; times < 50; times += 1) {
    try {
      return await order()
    } catch (error) {
      assert.ok(error instanceof BandamaError, String(error))
      assert.notEqual(error.kind, 'refused', error.message)
    }
  }
  throw new Error('Fifty calls did not suffice.')
}

/** Works through the ranks from 0, some at once. */
async function forEachRank(count: number, work: (rank: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let rank = next++; rank < count; rank = next++) await work(rank)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** A merchant on a line that fails, with clients behind the line, and one beside it that reads the truth. */
async function openShop(seed: Seed) {
  const { merchant, key, balances } = await newSender(installation, { funds: FUNDS })
  const { address } = installation.services[0]!
  const proxy = await openFaultProxy(address, seed, { faulty: 0.4 })
  // A client for each call, as a program that crashed and was started again has.
  const clientOf = (of: string) => () => new Bandama({ key: of, url: proxy.url, timeoutMs: 700, retries: 3 })
  const truth = { collect: new Bandama({ key: merchant.key, url: address }), pay: new Bandama({ key, url: address }) }
  return { proxy, collect: clientOf(merchant.key), pay: clientOf(key), truth, balances }
}

type Shop = Awaited<ReturnType<typeof openShop>>
type Orders = { payments: Map<string, string>; payouts: Map<string, string>; batches: Map<string, string> }

const beneficiary = { msisdn: '0700000000', name: 'Awa' }

/** Places one order of the program, whatever the line does, and notes its id. */
async function place({ collect, pay }: Shop, { payments, payouts, batches }: Orders, rank: number): Promise<void> {
  const reference = `order-${rank}`
  const call = { idempotencyKey: `stored-${rank}` }
  if (rank % 20 === 19) {
    const lines = [{ amount: 50, beneficiary }]
    const { id } = await untilDone(() => pay().batches.create({ reference, lines }, call))
    batches.set(reference, id)
    await untilDone(() => executeOnce(pay(), id))
  } else if (rank % 4 === 3) {
    const order = { amount: 100, beneficiary, reference }
    payouts.set(reference, (await untilDone(() => pay().payouts.create(order, call))).id)
  } else {
    const order = { amount: 200, counterparty: { msisdn: newPayer() }, merchant_reference: reference }
    payments.set(reference, (await untilDone(() => collect().payments.create(order))).id)
  }
}

/** A line that doubles may show the refusal of the second request: the batch says what became of the first. */
async function executeOnce(client: Bandama, id: string): Promise<void> {
  await client.batches.execute(id).catch(async (error: BandamaError) => {
    if (error.code !== 'batch_not_executable') throw error
    assert.notEqual((await client.batches.get(id)).status, 'brouillon')
  })
}

test('on a line that fails in every way no order exists twice, none is lost, and the books are right', {
  timeout: 60_000 + CALLS * 300,
}, async (context) => {
  const shop = await openShop(openSeed(context))
  await using proxy = shop.proxy
  const orders: Orders = { payments: new Map(), payouts: new Map(), batches: new Map() }
  const { payments, payouts, batches } = orders
  await forEachRank(CALLS, (rank) => place(shop, orders, rank))
  context.diagnostic(JSON.stringify(proxy.counts))
  if (CALLS >= 200) for (const fault of faults) assert.notEqual(proxy.counts[fault], 0, fault)

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
  await auditPasses(installation)
})

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
    try {
      for await (const { event, cursor } of collect().events.follow({ after, types: ['payment.succeeded'] })) {
        after = cursor
        assert.ok(!seen.has(event.id), `${event.id} came twice`)
        seen.add(event.id)
        if (event.type === 'payment.succeeded') waiting.delete(event.data.id)
        if (waiting.size === 0) break
      }
    } catch (error) {
      assert.ok(error instanceof BandamaError && error.kind === 'unreadable', String(error))
    }
  }
}
