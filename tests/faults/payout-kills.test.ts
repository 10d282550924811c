import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from '../contract/ask.ts'
import { openInstallation } from '../harness/installation.ts'
import { checkBooks, checkPayouts, waitForPayouts } from '../harness/oracle.ts'
import { openSeed, type Seed } from '../harness/seed.ts'
import type { Service } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import { askFor, confirmAll, type KeyedRequest, keyedRequest } from './keyed-requests.ts'
import { act, batch, idOf, newPayoutMerchant, outcome, type PayoutMerchant, payout } from './payout-merchant.ts'

const KILLS = 10
const MERCHANTS = 5
const PAYOUTS = 300
const BATCHES = 10
const LINES = 20
const CLIENTS = 6

/** A request of a merchant. A batch is also executed. */
type LoadRequest = { merchant: PayoutMerchant; made: KeyedRequest; executes: boolean }

test('payouts and batches end once each, however often the API and the worker are killed at random', {
  timeout: 300_000,
}, async (t) => {
  const seed = openSeed(t)
  await using installation = await openInstallation({ env: { BATCH_WAIT_SECONDS: '1' }, processes: [] })
  const { sql } = installation.db
  const merchants = await Promise.all(
    Array.from({ length: MERCHANTS }, () => newPayoutMerchant(sql, { funds: 100_000_000 })),
  )
  const requests = newRequests(seed, merchants)
  const roles = { api: await start('api'), worker: await start('worker') }
  function start(role: string): Promise<Service> {
    return installation.start({ args: ['--only', role] })
  }

  let stopped = false
  const waiting = [...requests]
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!stopped && waiting.length > 0) {
      const request = waiting.shift()!
      await askFor(roles.api.address, request.made)
      // The server is away. The merchant tries again later, and makes other requests meanwhile.
      if (request.made.acknowledged === null) waiting.push(request)
      else if (request.executes) await execute(request).catch(() => null)
      await sleep(seed.between(20, 250))
    }
  })
  await using _clients = {
    async [Symbol.asyncDispose]() {
      stopped = true
      await Promise.all(clients)
    },
  }
  function execute({ merchant, made }: LoadRequest) {
    return ask(roles.api.address, act(merchant, idOf(made.acknowledged!), 'execute'))
  }

  for (let kill = 0; kill < KILLS; kill += 1) {
    const known = () => requests.filter(({ made }) => made.acknowledged !== null).length
    const before = known()
    const goesOn = () => known() > before || waiting.length === 0
    await waitFor(goesOn, { what: 'a payout to be taken' })
    await sleep(seed.between(0, 500))
    const role = kill % 2 === 0 ? 'worker' : 'api'
    const { signal } = await roles[role].kill('SIGKILL')
    assert.equal(signal, 'SIGKILL', 'it did not end by itself before')
    // The books hold at every moment, not only at rest.
    await checkBooks(sql)
    roles[role] = await start(role)
  }
  stopped = true
  await Promise.all(clients)

  const lastKill = performance.now()
  const unknown = requests.filter(({ made }) => made.acknowledged === null).length
  const cut = requests.filter(({ made }) => made.unanswered > 0).length
  await confirmAll(
    roles.api.address,
    requests.map(({ made }) => made),
  )
  for (const request of requests.filter(({ executes }) => executes)) {
    assert.match(outcome(await execute(request)), /^(?:200|409 batch_not_executable)$/)
  }
  await waitForPayouts(sql)
  const ended_ms = Math.round(performance.now() - lastKill)
  const counts = await checkPayouts(sql)
  assert.equal(
    Object.values(counts).reduce((sum, count) => sum + count, 0),
    PAYOUTS + BATCHES * LINES,
  )
  const [held] = await sql<{ held: number; open: number }[]>`
    select (select sum(balance)::bigint from accounts where account = 'payouts_in_flight') as held,
           (select coalesce(sum(total_debited), 0)::bigint from payouts where status = 'indeterminate') as open`
  assert.equal(held!.held, held!.open, 'what is in doubt is held, and nothing else is')
  t.diagnostic(
    `${KILLS} kills; ${requests.length} requests, ${cut} cut, ${unknown} not acknowledged at the last kill; ` +
      `${JSON.stringify(counts)}; all ended ${ended_ms} ms after it`,
  )
})

/** Payouts and batches in random order, to numbers with every end of the simulator. */
function newRequests(seed: Seed, merchants: readonly PayoutMerchant[]): LoadRequest[] {
  const ends = ['0000', '0007', '0001', '0003', '0004', '0005', '0006']
  const number = () => `05${String(seed.between(0, 9_999)).padStart(4, '0')}${seed.pick(ends)}`
  const ordered = Array.from({ length: PAYOUTS + BATCHES }, (_, at): LoadRequest => {
    const merchant = merchants[at % merchants.length]!
    const amount = seed.between(1, 50_000)
    if (at < PAYOUTS)
      return { merchant, executes: false, made: keyedRequest(payout(merchant, { amount, msisdn: number() })) }
    const msisdns = Array.from({ length: LINES }, number)
    return { merchant, executes: true, made: keyedRequest(batch(merchant, { amount, msisdns })) }
  })
  return ordered
    .map((request) => ({ request, place: seed.fraction() }))
    .sort((a, b) => a.place - b.place)
    .map(({ request }) => request)
}
