import { createClock } from '../src/platform/clock.ts'
import { createEgress } from '../src/platform/egress/post.ts'
import type { Sql } from '../src/platform/postgres/database.ts'
import { Secret } from '../src/values/secret.ts'
import type { EventType } from '../src/webhooks/event-types.ts'
import { createMerchant } from '../tests/harness/create-merchant.ts'
import { createEndpoint } from '../tests/harness/endpoints.ts'
import { depositToTransfer } from '../tests/harness/fill-transfer.ts'
import { createKey } from '../tests/harness/keys.ts'
import type { Behaviour } from './merchant-server.ts'

export type BenchMerchant = { merchant_id: number; key: string }

/** Creates merchants with a key each, of test mode unless told otherwise. */
export function createMerchants(
  sql: Sql,
  count: number,
  scope: 'collect' | 'payout',
  livemode = false,
): Promise<BenchMerchant[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const merchant_id = await createMerchant(sql, `Shop ${at}`)
      const { key } = await createKey(sql, { merchant_id, livemode }, { key_prefix: 'bdm', scope })
      return { merchant_id, key: key.reveal() }
    }),
  )
}

/** In francs. No merchant of a bench uses it up. */
const DEPOSIT = 500_000_000_000

/** Creates merchants that can pay out, and returns their keys. */
export async function createFundedMerchants(sql: Sql, count: number): Promise<string[]> {
  const merchants = await createMerchants(sql, count, 'payout')
  for (const { merchant_id } of merchants) await fund(sql, merchant_id)
  return merchants.map(({ key }) => key)
}

/** Creates one merchant that can pay out, with `count` keys of each scope. */
export async function createMerchantWithKeys(sql: Sql, count: number) {
  const merchant_id = await createMerchant(sql, 'Shop')
  await fund(sql, merchant_id)
  const keys = (scope: 'collect' | 'payout') =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const { key } = await createKey(sql, { merchant_id, livemode: false }, { key_prefix: 'bdm', scope })
        return key.reveal()
      }),
    )
  return { merchant_id, collect: await keys('collect'), payout: await keys('payout') }
}

async function fund(sql: Sql, merchant_id: number): Promise<void> {
  await depositToTransfer(sql, { merchant_id, livemode: false }, DEPOSIT, createClock())
}

/** The secret key of the service in a bench. The bench needs it too, because it registers endpoints itself. */
export const BENCH_SECRET_KEY = 'benches-seal-with-this-0123456789abcdef'

export type Endpoints = {
  /** The URL of the merchants' web servers. */
  url: string
  event_types: readonly EventType[]
  /** The behaviour of the endpoint of the merchant with this rank. */
  behaviour?: (rank: number) => Behaviour
  /** Absent: test mode. */
  livemode?: boolean
}

/** Registers one endpoint for each merchant, without its `endpoint.test`. Returns the secrets by path. */
export async function createEndpoints(
  sql: Sql,
  merchants: readonly BenchMerchant[],
  { url, event_types, behaviour = () => 'healthy', livemode = false }: Endpoints,
): Promise<Record<string, string>> {
  const egress = createEgress({ allow: ['127.0.0.0/8'], loopback_http: true })
  const deps = { sql, secretKey: new Secret(BENCH_SECRET_KEY), egress, clock: createClock() }
  const secrets: Record<string, string> = {}
  for (const [rank, { merchant_id }] of merchants.entries()) {
    const path = `/${behaviour(rank)}/${merchant_id}`
    const tenant = { merchant_id, livemode }
    const created = await createEndpoint(deps, tenant, { url: url + path, event_types, test: false })
    if (created.kind === 'refused') throw new Error(`An endpoint was refused: ${created.code}.`)
    secrets[path] = created.secret.reveal()
  }
  await egress.close()
  return secrets
}
