import { setTimeout as sleep } from 'node:timers/promises'
import { createFillListings } from '../src/listings/fill-listings.ts'
import { openDatabase, type Sql } from '../src/platform/postgres/database.ts'
import { migrate } from '../src/platform/postgres/upkeep/migrate.ts'
import { type Browser, openBrowser } from '../tests/harness/console.ts'
import { fillManyPayments } from '../tests/harness/listed-payments.ts'
import type { Service } from '../tests/harness/start-service.ts'
import { measureCreation } from './create-payment.ts'
import { startDatabase } from './database.ts'
import { fillListing } from './fill-listing.ts'
import { type Times, timesOf } from './load-order.ts'
import { machineCard } from './machine-card.ts'
import { measureLoad, type Pace, startBenchService } from './measure.ts'
import { createMerchants } from './merchants.ts'
import { startLoad } from './start-load.ts'
import { cpuOfTree, forgetPeakOfTree, memoryOfTree, peakMemoryOfTree } from './usage.ts'

/** Payments of the merchant whose screens are measured, unless the caller names another number. */
const PAYMENTS = 1_000_000
const QUICK_PAYMENTS = 3_000
/** Payments that the worker lists itself, one in fifty at most. The bench lists the others in the same way. */
const LISTED_BY_WORKER = 20_000
/** The merchants of the traffic, beside the one whose screens are measured. */
const MERCHANTS = 100
/** Milliseconds between two pages of a quick reader. */
const PAUSE_MS = 50

/**
 * The console of a merchant with a million payments, while the service accepts and concludes payments at half of what it carries: lists, search,
 * one payment and charts, each page asked for as a browser does. Times are from the request to the last byte, over loopback. Then its exports, one of a day to
 * warm up, each with the memory by which the service grew.
 */
export async function consoleBench({ quick, payments: asked }: Pace): Promise<object> {
  const payments = quick ? QUICK_PAYMENTS : (asked ?? PAYMENTS)
  const seconds = quick ? 5 : 60
  await using database = await startDatabase({ quick })
  const { sql, url } = database
  await migrate(url)
  const [shop, ...others] = await createMerchants(sql, 1 + MERCHANTS, 'collect')
  const tenant = { merchant_id: shop!.merchant_id, livemode: false }
  const fill_seconds = await secondsOf(() => fillManyPayments(sql, tenant, payments))
  const left = Math.min(LISTED_BY_WORKER, Math.floor(payments / 50))
  const fill_listing_seconds = await secondsOf(() => fillListing(sql, left))
  const listing_seconds = await secondsOf(() => listRest(url))
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
  const download = (query: string) => measureExport(service, person.cookie, `${base}/payments/export?${query}`)
  const day = dayBefore(1)
  await download(`format=xlsx&from=${day}&to=${day}`)
  const csv = await download('format=csv')
  const xlsx = await download('format=xlsx')
  return {
    bench: 'console',
    card: await machineCard(sql),
    payments,
    fill_seconds,
    fill_listing_seconds,
    listing_us_each: Math.round((listing_seconds * 1_000_000) / left),
    knee_per_second: knee.per_second,
    accepted_beside: { per_second, p95_ms, p99_ms },
    pages,
    slowest_p95_ms: Math.max(pages.lists.p95_ms, pages.search.p95_ms, pages.details.p95_ms),
    exports: { csv, xlsx },
    exports_growth_mb: Math.max(csv.growth_mb, xlsx.growth_mb),
  }
}

/** Lists the rest as the worker does, which takes a second connection inside the transaction of a step. */
async function listRest(url: string): Promise<void> {
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
    () => '/payments?min=100090',
    () => '/payments?status=succeeded&min=200000',
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
async function readUntil(
  ended: Promise<unknown>,
  { get }: Browser,
  base: string,
  some: readonly Some[],
): Promise<Record<keyof typeof asked, Times & { pages: number }>> {
  let over = false
  const whenOver = ended.finally(() => {
    over = true
  })
  // Each function that awaits it gets its failure.
  whenOver.catch(() => {})
  const times = { lists: [] as number[], search: [] as number[], details: [] as number[], charts: [] as number[] }
  const day = dayBefore(10)
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
  const found = (kind: keyof typeof asked) => ({ pages: times[kind].length, ...timesOf(times[kind]) })
  return { lists: found('lists'), search: found('search'), details: found('details'), charts: found('charts') }
}

const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/**
 * One export from its request to its last byte, with the service's processor time and the memory by which it grew: the most that it had in use
 * meanwhile, over what it had before.
 */
async function measureExport({ address, pid }: Service, cookie: string, path: string) {
  await forgetPeakOfTree(pid)
  const [memory, cpu] = [await memoryOfTree(pid), await cpuOfTree(pid)]
  const began = performance.now()
  const answer = await fetch(address + path, { headers: { cookie } })
  if (answer.status !== 200) throw new Error(`The export answered ${answer.status}.`)
  let bytes = 0
  for await (const part of answer.body!) bytes += part.length
  return {
    seconds: Number(((performance.now() - began) / 1_000).toFixed(1)),
    service_cpu_seconds: Number((((await cpuOfTree(pid)) - cpu) / 1_000).toFixed(1)),
    megabytes: Math.round(bytes / 1e6),
    growth_mb: Math.max(0, Math.round(((await peakMemoryOfTree(pid)) - memory) / 2 ** 20)),
  }
}
