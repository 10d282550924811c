import { setTimeout as sleep } from 'node:timers/promises'
import { createFillListings } from '../src/listings/fill-listings.ts'
import { openDatabase, type Sql } from '../src/platform/postgres/database.ts'
import { migrate } from '../src/platform/postgres/upkeep/migrate.ts'
import { type Browser, openBrowser } from '../tests/harness/console.ts'
import { fillManyPayments } from '../tests/harness/listed-payments.ts'
import { measureCreation } from './create-payment.ts'
import { startDatabase } from './database.ts'
import { type Times, timesOf } from './load-order.ts'
import { machineCard } from './machine-card.ts'
import { measureLoad, type Pace, startBenchService } from './measure.ts'
import { createMerchants } from './merchants.ts'
import { startLoad } from './start-load.ts'
import { memoryOfTree, peakMemoryOfTree } from './usage.ts'

/** Payments of the merchant that is looked at, unless fewer are asked for. */
const PAYMENTS = 1_000_000
const QUICK_PAYMENTS = 3_000
/** Merchants that the traffic comes from, beside the one that is looked at. */
const MERCHANTS = 100
/** Milliseconds between two pages of a reader: a quick one. */
const PAUSE_MS = 50

/**
 * The console of a merchant with a million payments, while the service accepts and concludes payments at half of what it carries: lists, search,
 * one payment and charts, each page asked for as a browser does. Times are from the request to the last byte, over loopback. Then its exports, each with
 * the memory by which the service grew.
 */
export async function consoleBench({ quick, payments: most }: Pace): Promise<object> {
  const payments = quick ? QUICK_PAYMENTS : Math.min(PAYMENTS, most)
  const seconds = quick ? 5 : 60
  await using database = await startDatabase({ quick })
  const { sql, url } = database
  await migrate(url)
  const [shop, ...others] = await createMerchants(sql, 1 + MERCHANTS, 'collect')
  const tenant = { merchant_id: shop!.merchant_id, livemode: false }
  const fill_seconds = await secondsOf(() => fillManyPayments(sql, tenant, payments))
  const listing_seconds = await secondsOf(() => listAll(url))
  await sql.unsafe('vacuum analyze')
  const keys = [shop!.key, ...others.map(({ key }) => key)]
  const knee = await measureCreation(database, [], { seconds: quick ? 4 : 20, keys })

  await using service = await startBenchService(url, [])
  await using load = await startLoad()
  const person = await openBrowser(sql, service.address, { merchant_id: tenant.merchant_id, roles: ['owner'] })
  const some = await readSome(sql, tenant.merchant_id, payments)
  const base = `/console/test/${tenant.merchant_id}`
  const loaded = measureLoad(sql, service, load, {
    what: 'payment',
    keys,
    seconds,
    rate: Math.max(1, Math.floor(knee.per_second / 2)),
  })
  const pages = await readUntil(loaded, person, base, some)
  const { per_second, p95_ms, p99_ms } = await loaded
  const csv = await measureExport(person, service.pid, `${base}/payments/export?format=csv`)
  const xlsx = await measureExport(person, service.pid, `${base}/payments/export?format=xlsx`)
  return {
    bench: 'console',
    card: await machineCard(sql),
    payments,
    fill_seconds,
    listing_seconds,
    listing_us_each: Math.round((listing_seconds * 1_000_000) / payments),
    knee_per_second: knee.per_second,
    accepted_beside: { per_second, p95_ms, p99_ms },
    pages,
    exports: { csv, xlsx },
  }
}

/** Lists everything as the worker does, which takes a second connection inside the transaction of a step. */
async function listAll(url: string): Promise<void> {
  const sql = openDatabase({ url, connections: 2, name: 'listing' })
  await createFillListings({ sql })(new AbortController().signal)
  await sql.end()
}

/** Seconds that something took. */
async function secondsOf(act: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await act()
  return Number(((performance.now() - began) / 1_000).toFixed(1))
}

type Some = { id: string; last4: string; reference: string; amount: number }

/** Some payments of the merchant, from anywhere in its list. */
function readSome(sql: Sql, merchant_id: number, payments: number): Promise<Some[]> {
  const references = Array.from({ length: 500 }, () => `CMD-${1 + Math.floor(Math.random() * payments)}`)
  return sql<Some[]>`
    select id, right(msisdn, 4) as last4, merchant_reference as reference, amount
      from payments
     where merchant_id = ${merchant_id} and not livemode and coalesce(reference_key, merchant_reference) = any(${references}::text[])`
}

/** Addresses below a merchant's console, each of a payment from anywhere in its list. */
const asked: Readonly<
  Record<'lists' | 'search' | 'details' | 'charts', readonly ((of: Some, day: string) => string)[]>
> = {
  lists: [
    () => '/payments',
    () => '/payments?status=failed',
    () => '/payments?operator=wave_ci&min=50000',
    (_, day) => `/payments?from=${day}&to=${day}`,
    ({ id }) => `/payments?starting_after=${id}`,
    ({ reference }) => `/payments?reference=${reference}`,
  ],
  search: [
    ({ last4 }) => `/search?q=${last4}`,
    ({ reference }) => `/search?q=${reference}`,
    ({ amount }) => `/search?q=${amount}`,
    ({ id }) => `/search?q=${id}`,
  ],
  details: [({ id }) => `/payments/${id}`],
  charts: [() => '/charts?period=30', () => '/charts?period=90'],
}

/** Asks for every kind of page by turns until something has ended, one page at a time, as a person does. Returns the times of each kind. */
async function readUntil(ended: Promise<unknown>, { get }: Browser, base: string, some: readonly Some[]) {
  let over = false
  const whenOver = ended.finally(() => {
    over = true
  })
  // Its failure is told to whoever awaits it.
  whenOver.catch(() => {})
  const times = { lists: [] as number[], search: [] as number[], details: [] as number[], charts: [] as number[] }
  const day = new Date(Date.now() - 10 * 86_400_000).toISOString().slice(0, 10)
  for (let turn = 0; !over || turn === 0; turn += 1) {
    for (const [kind, addresses] of Object.entries(asked) as [keyof typeof asked, (typeof asked)['lists']][]) {
      const address = addresses[turn % addresses.length]!(some[turn % some.length]!, day)
      const began = performance.now()
      const { status } = await get(`${base}${address}`)
      if (status !== 200) throw new Error(`${address} answered ${status}.`)
      // The first of each warms up.
      if (turn > 0) times[kind].push(performance.now() - began)
      await sleep(PAUSE_MS)
    }
  }
  const found = Object.entries(times).map(([kind, taken]): [string, Times & { pages: number }] => [
    kind,
    { pages: taken.length, ...timesOf(taken) },
  ])
  return Object.fromEntries(found)
}

/** One export from its request to its last byte, and the memory by which the service grew beyond what it had before. */
async function measureExport({ get }: Browser, pid: number, path: string) {
  const before = await memoryOfTree(pid)
  const began = performance.now()
  const { status, text } = await get(path)
  if (status !== 200) throw new Error(`The export answered ${status}.`)
  const seconds = Number(((performance.now() - began) / 1_000).toFixed(1))
  const growth_mb = Math.max(0, Math.round(((await peakMemoryOfTree(pid)) - before) / 2 ** 20))
  return { seconds, megabytes: Math.round(text.length / 1e6), growth_mb }
}
