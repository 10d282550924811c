import { randomUUID } from 'node:crypto'
import { depositToTransfer } from '../src/ledger/fill-transfer.ts'
import { createClock } from '../src/platform/clock.ts'
import type { Sql } from '../src/platform/postgres/database.ts'
import type { Service } from '../tests/harness/start-service.ts'
import {
  createMerchants,
  machineCard,
  measureLoad,
  measurePgbench,
  ratio,
  startBenchService,
  startDatabase,
} from './rig.ts'

const MERCHANTS = 1_000
const SECONDS = 15
const DEPOSIT = 500_000_000_000
const BATCHES = 10
const LINES = 500

/**
 * Money out: payouts a second spread over many merchants and of one alone, beside TPC-B in the same run; then batches of
 * 500 lines, made, and executed from the call to the last outcome with a simulator that answers at once.
 */
export async function payoutsBench(): Promise<object> {
  await using database = await startDatabase()
  const { sql, url } = database
  const tpcb = await measurePgbench(sql, url, SECONDS)
  const load = async (merchants: number) => {
    await using service = await startBenchService(url, ['--only', 'api'])
    const keys = await fundedKeys(sql, merchants)
    const measured = await measureLoad(sql, service, { what: 'payout', keys, seconds: SECONDS })
    return { ratio_to_tpcb: ratio(measured.accepted_per_second, tpcb), ...measured }
  }
  const spread = await load(MERCHANTS)
  const one_merchant = await load(1)
  // What was accepted above is not to be sent while batches are measured.
  await sql`delete from jobs`
  await sql`update instructions set next_check_at = null where state = 'prepared'`
  await using service = await startBenchService(url, [], { SIMULATOR_DELAY_MS: '0' })
  return {
    bench: 'payouts',
    card: await machineCard(sql),
    tpcb_per_second: Math.round(tpcb),
    spread_over_1000: spread,
    one_merchant: {
      ratio_to_spread: ratio(one_merchant.accepted_per_second, spread.accepted_per_second),
      ...one_merchant,
    },
    batch_of_500: await measureBatches(service, (await fundedKeys(sql, 1))[0]!),
  }
}

async function fundedKeys(sql: Sql, count: number): Promise<string[]> {
  const merchants = await createMerchants(sql, count, 'payout')
  const clock = createClock()
  for (const { merchant_id } of merchants) {
    await depositToTransfer(sql, { merchant_id, livemode: false }, DEPOSIT, clock)
  }
  return merchants.map(({ key }) => key)
}

/** Milliseconds to make a batch, and from `execute` to its answer, which comes when the last line has an outcome. */
async function measureBatches(service: Service, key: string): Promise<object> {
  const create: number[] = []
  const execute: number[] = []
  for (let batch = 0; batch < BATCHES; batch += 1) {
    // No number ends as the simulator's scenarios do: every line succeeds.
    const lines = Array.from({ length: LINES }, (_, at) => ({
      amount: 1_000 + at,
      beneficiary: {
        msisdn: `07${String(batch * LINES + at).padStart(7, '0')}9`,
        operator: 'orange_ci',
        name: 'Awa',
      },
    }))
    const made = await timed(create, () => call(service, key, '/v1-payout-batches', { lines }))
    const ended = await timed(execute, () => call(service, key, `/v1-payout-batches/${made.id}/execute`, undefined))
    if (ended.status !== 'termine') throw new Error(`A batch ended ${ended.status}.`)
  }
  const figures = (times: number[]) => {
    const sorted = times.toSorted((a, b) => a - b).map(Math.round)
    return { median_ms: sorted[Math.floor(sorted.length / 2)], max_ms: sorted.at(-1) }
  }
  return { batches: BATCHES, create: figures(create), execute_to_last_outcome: figures(execute) }
}

async function timed<Result>(times: number[], work: () => Promise<Result>): Promise<Result> {
  const begin = performance.now()
  const result = await work()
  times.push(performance.now() - begin)
  return result
}

async function call(service: Service, key: string, path: string, body: object | undefined) {
  const headers = {
    Authorization: `Bearer ${key}`,
    'Idempotency-Key': randomUUID(),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  }
  const answer = await fetch(service.address + path, {
    method: 'POST',
    headers,
    body: body ? JSON.stringify(body) : null,
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as { id: string; status: string }
}
