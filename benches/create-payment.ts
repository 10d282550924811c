import { createKey } from '../src/api-keys/create-key.ts'
import { accountsOfMerchant } from '../src/ledger/accounts.ts'
import { createMerchant } from '../src/merchants/create-merchant.ts'
import type { Sql } from '../src/platform/postgres/database.ts'
import { machineCard, measurePgbench, readUsage, runLoad, startBenchService, startDatabase, type Usage } from './rig.ts'

const MERCHANTS = 100
const CONNECTIONS = 64
const WARM_UP = 5
const SECONDS = 20

/** Accepted payments a second over HTTP, beside PostgreSQL's TPC-B on the same server in the same run. */
export async function createPaymentBench(): Promise<object> {
  await using database = await startDatabase()
  const { sql, url } = database
  const card = await machineCard(sql)
  const tpcb = await measurePgbench(sql, url, SECONDS)
  const api_only = await measure(sql, url, ['--only', 'api'])
  const with_worker = await measure(sql, url, [])
  return {
    bench: 'create-payment',
    card,
    connections: CONNECTIONS,
    seconds: SECONDS,
    tpcb_per_second: Math.round(tpcb),
    api_only: { ...api_only, ratio_to_tpcb: ratio(api_only.accepted_per_second, tpcb) },
    with_worker: { ...with_worker, ratio_to_tpcb: ratio(with_worker.accepted_per_second, tpcb) },
  }
}

async function measure(sql: Sql, url: string, args: string[]) {
  await using service = await startBenchService(url, args)
  const keys = await merchantKeys(sql)
  let before: Usage | undefined
  const report = await runLoad(
    { address: service.address, keys, connections: CONNECTIONS, warm_up: WARM_UP, seconds: SECONDS },
    async () => {
      before = await readUsage(sql, service)
    },
  )
  const after = await readUsage(sql, service)
  const accepted = report.statuses['201'] ?? 0
  const per = (name: keyof Usage) => Number(((after[name] - before![name]) / accepted).toFixed(3))
  return {
    accepted_per_second: Math.round(accepted / report.seconds),
    statuses: report.statuses,
    p50_ms: report.p50_ms,
    p95_ms: report.p95_ms,
    p99_ms: report.p99_ms,
    max_ms: report.max_ms,
    per_payment: {
      service_cpu_ms: per('service_cpu_ms'),
      database_cpu_ms: per('database_cpu_ms'),
      client_cpu_ms: Number((report.cpu_ms / accepted).toFixed(3)),
      statements: per('statements'),
      commits: per('commits'),
      wal_bytes: Math.round(per('wal_bytes')),
    },
  }
}

async function merchantKeys(sql: Sql): Promise<string[]> {
  return Promise.all(
    Array.from({ length: MERCHANTS }, async (_, at) => {
      const merchant_id = await createMerchant(sql, { name: `Shop ${at}`, accounts: accountsOfMerchant })
      const { key } = await createKey(sql, { merchant_id, livemode: false }, { key_prefix: 'bdm', scope: 'collect' })
      return key.reveal()
    }),
  )
}

function ratio(ours: number, theirs: number): number {
  return Number((ours / theirs).toFixed(2))
}
