import {
  createMerchants,
  machineCard,
  measureLoad,
  measurePgbench,
  ratio,
  startBenchService,
  startDatabase,
} from './rig.ts'

const MERCHANTS = 100
const SECONDS = 20

/**
 * Accepted payments a second over HTTP with everything on, beside PostgreSQL's TPC-B on the same server in the same run:
 * first the API alone, as many as it takes in; then with the worker sending and concluding them on the same cores.
 */
export async function createPaymentBench(): Promise<object> {
  await using database = await startDatabase()
  const { sql, url } = database
  const tpcb = await measurePgbench(sql, url, SECONDS)
  const measure = async (args: string[]) => {
    await using service = await startBenchService(url, args)
    const keys = (await createMerchants(sql, MERCHANTS, 'collect')).map(({ key }) => key)
    const measured = await measureLoad(sql, service, { what: 'payment', keys, seconds: SECONDS })
    return { ratio_to_tpcb: ratio(measured.accepted_per_second, tpcb), ...measured }
  }
  return {
    bench: 'create-payment',
    card: await machineCard(sql),
    tpcb_per_second: Math.round(tpcb),
    api_only: await measure(['--only', 'api']),
    with_worker: await measure([]),
  }
}
