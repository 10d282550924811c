import type { Service } from '../tests/harness/start-service.ts'
import { forgetUnsent } from './create-payment.ts'
import { besideTpcb, startDatabase } from './database.ts'
import { machineCard } from './machine-card.ts'
import { measureLoad, type Pace, ratio, startBenchService } from './measure.ts'
import { createFundedMerchants } from './merchants.ts'
import { batchLines, post } from './requests.ts'
import { startLoad } from './start-load.ts'

const MERCHANTS = 1_000
/** More than the usual 64, because the requests of a thousand merchants do not wait for one another. */
const CONNECTIONS = 256
const BATCHES = 10

/**
 * Measures payouts a second, for many merchants and for one, compared with TPC-B in the same run. Then batches of 500
 * lines: their creation, and their execution from the call to the last outcome, with a simulator that answers at once.
 */
export async function payoutsBench({ quick }: Pace): Promise<object> {
  const seconds = quick ? 1 : 15
  await using database = await startDatabase({ quick })
  const { sql, url } = database
  const measure = async (merchants: number) => {
    await using service = await startBenchService(url, ['--only', 'api'])
    await using load = await startLoad()
    const keys = await createFundedMerchants(sql, merchants)
    return await measureLoad(sql, service, load, { what: 'payout', keys, seconds, connections: CONNECTIONS })
  }
  const executeBatches = async () => {
    await forgetUnsent(sql)
    await using service = await startBenchService(url, [])
    const [key] = await createFundedMerchants(sql, 1)
    return await measureBatches(service, key!, quick ? 1 : BATCHES)
  }
  const [{ spread, one_merchant, batches }, tpcb] = await besideTpcb(database, quick, async () => ({
    spread: await measure(quick ? 20 : MERCHANTS),
    one_merchant: await measure(1),
    // Immediately afterwards: sweeps soon find the payouts accepted without a worker, and the batches would queue
    // behind them.
    batches: await executeBatches(),
  }))
  return {
    bench: 'payouts',
    card: await machineCard(sql),
    tpcb,
    spread_over_1000: { ratio_to_tpcb: ratio(spread.per_second, tpcb.per_second), ...spread },
    one_merchant: { ratio_to_spread: ratio(one_merchant.per_second, spread.per_second), ...one_merchant },
    batch_of_500: batches,
  }
}

/** Milliseconds to create a batch, and from `execute` to the outcome of its last line. */
async function measureBatches(service: Service, key: string, batches: number): Promise<object> {
  const create: number[] = []
  const execute: number[] = []
  for (let batch = 0; batch < batches; batch += 1) {
    const lines = batchLines(batch)
    const made = await timed(create, () => post(service.address, key, '/v1-payout-batches', { lines }))
    const ended = await timed(execute, () => post(service.address, key, `/v1-payout-batches/${made.id}/execute`))
    if (ended.status !== 'termine') throw new Error(`A batch ended ${ended.status}.`)
  }
  const figures = (times: number[]) => {
    const sorted = times.toSorted((a, b) => a - b).map(Math.round)
    return { median_ms: sorted[Math.floor(sorted.length / 2)], max_ms: sorted.at(-1) }
  }
  return { batches, create: figures(create), execute_to_last_outcome: figures(execute) }
}

async function timed<Result>(times: number[], work: () => Promise<Result>): Promise<Result> {
  const begin = performance.now()
  const result = await work()
  times.push(performance.now() - begin)
  return result
}
