import type { Sql } from '../src/platform/postgres/database.ts'
import { type BenchDatabase, besideTpcb, settle, startDatabase } from './database.ts'
import { machineCard } from './machine-card.ts'
import { measureLoad, type Pace, ratio, startBenchService } from './measure.ts'
import { createMerchants } from './merchants.ts'
import { startLoad } from './start-load.ts'

const MERCHANTS = 100

/**
 * Measures accepted payments a second over HTTP with all features on, compared with PostgreSQL's TPC-B on the same
 * server before and after. First the API alone at full load; then half that rate, fixed; then full load beside the
 * worker that sends and concludes the payments on the same cores.
 */
export async function createPaymentBench({ quick }: Pace): Promise<object> {
  const seconds = quick ? 1 : 20
  await using database = await startDatabase({ quick })
  const { sql } = database
  const api = ['--only', 'api']
  const [alone, tpcb] = await besideTpcb(database, quick, () => measureCreation(database, api, { seconds }))
  await settle(sql)
  const half = await measureCreation(database, api, { seconds, rate: Math.floor(alone.per_second / 2) })
  const with_worker = await measureCreation(database, [], { seconds })
  return {
    bench: 'create-payment',
    card: await machineCard(sql),
    tpcb,
    ratio_to_tpcb: ratio(alone.per_second, tpcb.per_second),
    api_only: { ratio_to_tpcb: ratio(alone.per_second, tpcb.per_second), ...alone },
    at_half_the_knee: half,
    with_worker: { ratio_to_tpcb: ratio(with_worker.per_second, tpcb.per_second), ...with_worker },
  }
}

/** Measures the payments that a freshly started service accepts, from new merchants or with the given keys. */
export async function measureCreation(
  { sql, url }: BenchDatabase,
  args: string[],
  wanted: {
    seconds: number
    rate?: number
    warm_up?: number
    merchants?: number
    keys?: string[]
    env?: Record<string, string>
  },
) {
  const { merchants = MERCHANTS, keys, env = {}, ...rest } = wanted
  try {
    await using service = await startBenchService(url, args, env)
    await using load = await startLoad()
    const asking = keys ?? (await createMerchants(sql, merchants, 'collect')).map(({ key }) => key)
    return await measureLoad(sql, service, load, { what: 'payment', keys: asking, ...rest })
  } finally {
    await forgetUnsent(sql)
  }
}

/**
 * Deletes accepted payments that wait to be sent, so that the next service does not send them. Their dead rows are
 * vacuumed here rather than during the next measurement.
 */
export async function forgetUnsent(sql: Sql): Promise<void> {
  await sql`delete from jobs`
  await sql`delete from collection_outbox`
  await sql.unsafe('vacuum analyze jobs, collection_outbox')
}
