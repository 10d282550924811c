import type { Sql } from '../src/platform/postgres/database.ts'
import type { Service } from '../tests/harness/start-service.ts'
import { type BenchDatabase, besideTpcb, settle, startDatabase } from './database.ts'
import { machineCard } from './machine-card.ts'
import { type Measured, measureLoad, type Pace, ratio, startBenchService } from './measure.ts'
import { type BenchMerchant, createEndpoints, createMerchants } from './merchants.ts'
import { type Load, startLoad } from './start-load.ts'

const MERCHANTS = 100
/** Concurrent whole payments: enough for full batches, and few enough that none becomes old. */
const IN_FLIGHT = 512
/** The rate at which the delivery time is measured, in payments a second. */
const CALM_RATE = 200

/**
 * Measures whole payments: from the request until the merchant has received the signed `payment.succeeded` and verified
 * it, with a simulator that answers at once. First at full load, compared with TPC-B; then two hundred a second, for
 * the delivery time of an event.
 */
export async function wholePaymentBench({ quick }: Pace): Promise<object> {
  // A quick run has few: in two seconds, hundreds would not end on a busy machine.
  const most_of = quick ? { seconds: 2, in_flight: 32 } : { seconds: 20 }
  const calm_of = quick ? { seconds: 2, rate: 20 } : { seconds: 20, rate: CALM_RATE }
  await using database = await startDatabase({ quick })
  const { sql } = database
  const [most, tpcb] = await besideTpcb(database, quick, () => measureWhole(database, most_of))
  await settle(sql)
  const calm = await measureWhole(database, calm_of)
  return {
    bench: 'whole-payment',
    card: await machineCard(sql),
    tpcb,
    ratio_to_tpcb: ratio(most.per_second, tpcb.per_second),
    left_over: Math.max(most.left_over, calm.left_over),
    as_many_as_it_carries: { ratio_to_tpcb: ratio(most.per_second, tpcb.per_second), ...most },
    at_200_a_second: calm,
  }
}

export type WholeMeasured = Measured & { left_over: number }

/** `in_flight` is 512 when absent. */
type WholeWanted = { seconds: number; rate?: number; warm_up?: number; in_flight?: number; tells_arrivals?: boolean }

/** Merchants for a load: their keys, and the secrets of their endpoints by path. */
export type Crowd = { keys: string[]; secrets: Record<string, string> }

/** Creates merchants of one mode, each with an endpoint that subscribes to `payment.succeeded`. */
export async function createCrowd(
  sql: Sql,
  load: Load,
  count: number,
  livemode = false,
): Promise<Crowd & { merchants: BenchMerchant[] }> {
  const merchants = await createMerchants(sql, count, 'collect', livemode)
  const endpoints = { url: load.url, event_types: ['payment.succeeded'], livemode } as const
  const secrets = await createEndpoints(sql, merchants, endpoints)
  return { merchants, keys: merchants.map(({ key }) => key), secrets }
}

/** Measures the whole payments of a freshly started service, with new merchants. */
export async function measureWhole(
  { sql, url }: BenchDatabase,
  { merchants = MERCHANTS, ...wanted }: WholeWanted & { merchants?: number },
): Promise<WholeMeasured> {
  await using service = await startBenchService(url, [])
  await using load = await startLoad()
  return await measureWholeOn(sql, service, load, await createCrowd(sql, load, merchants), wanted)
}

/** Measures whole payments on a running service, and the operations left over at the end. */
export async function measureWholeOn(
  sql: Sql,
  service: Service,
  load: Load,
  { keys, secrets }: Crowd,
  wanted: WholeWanted,
): Promise<WholeMeasured> {
  const measured = await measureLoad(sql, service, load, {
    what: 'whole payment',
    keys,
    secrets,
    in_flight: IN_FLIGHT,
    ...wanted,
  })
  return { ...measured, left_over: await countLeftOver(sql) }
}

/** Counts payments, deliveries and jobs that have not ended. Waits up to ten seconds for them to end. */
export async function countLeftOver(sql: Sql): Promise<number> {
  for (let look = 0; ; look += 1) {
    const [row] = await sql<{ left: number }[]>`
      select (select count(*) from instructions where next_check_at is not null)
           + (select count(*) from collection_outbox)
           + (select count(*) from deliveries where status = 'pending')
           + (select count(*) from jobs) as left`
    if (row!.left === 0 || look === 100) return row!.left
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
