import { Agent, get } from 'node:http'
import type { Sql } from '../src/platform/postgres/database.ts'
import { migrate } from '../src/platform/postgres/upkeep/migrate.ts'
import { startDatabase } from './database.ts'
import { machineCard } from './machine-card.ts'
import { type Pace, ratio, startBenchService } from './measure.ts'
import { createMerchants } from './merchants.ts'

const SIZES = [1_000, 100_000, 5_000_000]
const QUICK_SIZES = [1_000, 2_000, 3_000]
/** Movements inserted by one statement. */
const CHUNK = 250_000
const REQUESTS = 300
const WARM_UP = 100
/** The movements are spread evenly over this many days. The last one is an hour old. */
const DAYS = 730
/** The deepest movement of a page that counts as near the beginning. */
const NEAR = 10_000
const PAGE = 100

/**
 * Measures the statements of merchants with a thousand, a hundred thousand and five million movements: pages near the
 * beginning, deep in the period and at its end, and the figures of a year. Every request asks for another page, over
 * HTTP, one after the other, as an accountant's program would.
 */
export async function statementsBench({ quick }: Pace): Promise<object> {
  const sizes = quick ? QUICK_SIZES : SIZES
  const requests = quick ? 5 : REQUESTS
  await using database = await startDatabase({ quick })
  const { sql, url } = database
  await migrate(url)
  const merchants = await createMerchants(sql, sizes.length, 'collect')
  const filled = performance.now()
  // Filling is not part of the measurement, and fewer checkpoints do not change the rows that are read.
  await sql.unsafe(`alter system set max_wal_size = '8GB'`)
  await sql.unsafe('select pg_reload_conf()')
  // The largest last, so that its keys are appended to every index, as in production.
  for (const [at, { merchant_id }] of merchants.entries()) await fill(sql, merchant_id, sizes[at]!)
  for (const table of ['ledger_entries', 'payments', 'accounts']) await sql.unsafe(`vacuum analyze ${table}`)
  const fill_seconds = Math.round((performance.now() - filled) / 1_000)
  await using service = await startBenchService(url, ['--only', 'api'])
  // In turn and not one merchant after the other, so that other work of the machine affects all of them alike.
  const rounds = merchants.map(({ key }, at) => readerOf(service.address, key, sizes[at]!))
  for (let request = -WARM_UP; request < requests; request += 1) {
    for (const round of rounds) await round.turn(request >= 0)
  }
  const measured = rounds.map(({ figures }) => figures())
  const [small, , large] = measured
  return {
    bench: 'statements',
    card: await machineCard(sql),
    fill_seconds,
    large_to_small: Object.fromEntries(
      Object.keys(small!).map((name) => [name, ratio(large![name]!.median_ms, small![name]!.median_ms)]),
    ),
    movements: Object.fromEntries(sizes.map((size, at) => [size, measured[at]])),
  }
}

/**
 * Writes movements as payments and moves to the transfer balance would: nine collections of 1 000 francs, then a move
 * of 4 000, with both legs of each and the payments. Triggers and foreign keys are off, because they check what holds
 * here by construction. The rows of ledger_transactions are left out, because no statement reads them. Every index is
 * written.
 */
async function fill(sql: Sql, merchant_id: number, count: number): Promise<void> {
  for (let first = 1; first <= count; first += CHUNK) {
    const last = Math.min(first + CHUNK - 1, count)
    await sql.begin(async (tx) => {
      await tx`set local statement_timeout = 0`
      await tx`set local session_replication_role = replica`
      await tx`set local synchronous_commit = off`
      await tx`set local enable_seqscan = on`
      await tx.unsafe(`
        create temporary table made on commit drop as
        select n, n % 10 = 0 as moved, n / 10 as moves, n - n / 10 as collections,
               case when n % 10 = 0 then 'mov_' else 'txn_' end || to_char(n, 'FM00000000000000000000000000') as id,
               case when n % 10 = 0 then 'moved_to_transfer' else 'collection_confirmed' end as operation,
               now() - interval '1 hour' - (${count} - n)::float8 / ${count} * interval '${DAYS} days' as at
          from generate_series(${first}::bigint, ${last}) as n;
        insert into payments (merchant_id, livemode, id, amount, amount_collected, fee_amount, net_amount, currency, status,
                              operator, merchant_reference, msisdn, created_at, succeeded_at)
        select ${merchant_id}, false, id, 1000, 1000, 0, 1000, 'XOF', 'succeeded', 'orange_ci',
               'order ' || to_char(n, 'FM00000000'), '0700000000', at, at
          from made where not moved;
        insert into ledger_entries (merchant_id, livemode, account, sequence, subject_id, operation, leg, amount,
                                    balance_after, credited_after, created_at)
        select ${merchant_id}, false, l.account, l.sequence, id, operation, l.leg, l.amount, l.balance, l.credited, at
          from made
          cross join lateral (values
            ('available', n, 1, case when moved then -4000 else 1000 end, 1000 * collections - 4000 * moves,
             1000 * collections),
            (case when moved then 'transfer' else 'held:simulator' end, case when moved then moves else collections end,
             2, case when moved then 4000 else -1000 end,
             case when moved then 4000 * moves else -1000 * collections end, case when moved then 4000 * moves else 0 end))
            as l(account, sequence, leg, amount, balance, credited)`)
    })
  }
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`
      update accounts a
         set sequence = e.sequence, balance = e.balance_after, credited = e.credited_after, booked_at = e.created_at
        from (select l.account, l.sequence, l.balance_after, l.credited_after, l.created_at
                from accounts o
                cross join lateral (
                       select account, sequence, balance_after, credited_after, created_at
                         from ledger_entries
                        where (merchant_id, livemode, account) = (o.merchant_id, o.livemode, o.account)
                        order by sequence desc
                        limit 1) l
               where o.merchant_id = ${merchant_id} and not o.livemode) e
       where a.merchant_id = ${merchant_id} and not a.livemode and a.account = e.account`
  })
}

type Times = { median_ms: number; p95_ms: number; max_ms: number }

/** Reads one merchant's statement, another page each time, and records the time of each kind of page. */
function readerOf(address: string, key: string, count: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const to = Temporal.Now.plainDateISO('UTC')
  const day = (ago: number) => to.subtract({ days: ago }).toString()
  const whole = `from=${day(DAYS)}&to=${to}`
  // Large strides through the pages, each once: the same numbers in every run.
  let stride = 0
  const somewhere = (from: number, below: number) => {
    stride += 7_919 * 7_907
    return from + (stride % Math.max(1, below - from))
  }
  const asked: Record<string, () => string> = {
    first_page: () => `${whole}&limit=${PAGE}`,
    page_within_10000: () => `${whole}&limit=${PAGE}&offset=${somewhere(0, Math.min(NEAR, count - PAGE))}`,
    page_anywhere: () => `${whole}&limit=${PAGE}&offset=${somewhere(0, count - PAGE)}`,
    last_page: () => `${whole}&limit=${PAGE}&offset=${count - PAGE}`,
    largest_page: () => `${whole}&limit=500&offset=${somewhere(0, count - 500)}`,
    figures_of_a_year: () => {
      const ago = somewhere(1, DAYS - 365)
      return `from=${day(ago + 365)}&to=${day(ago)}&limit=1`
    },
  }
  const times = new Map(Object.keys(asked).map((name) => [name, [] as number[]]))
  return {
    /** One request of each kind. */
    async turn(counts: boolean): Promise<void> {
      for (const [name, query] of Object.entries(asked)) {
        const taken = await timed(agent, `${address}/v1-statements?${query()}`, key)
        if (counts) times.get(name)!.push(taken)
      }
    },
    figures: (): Record<string, Times> => Object.fromEntries([...times].map(([name, taken]) => [name, summary(taken)])),
  }
}

/**
 * Milliseconds from the request to the last byte of its answer.
 * @throws when the answer is not a statement that adds up
 */
function timed(agent: Agent, url: string, key: string): Promise<number> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, headers: { Authorization: `Bearer ${key}` } }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () => {
        const taken = performance.now() - began
        const text = Buffer.concat(parts).toString()
        const { opening_balance, total_in, total_out, closing_balance, data } = JSON.parse(text)
        const right = answer.statusCode === 200 && opening_balance + total_in - total_out === closing_balance
        if (right && data.length > 0) resolve(taken)
        else reject(new Error(`${url} answered ${answer.statusCode}: ${text.slice(0, 200)}`))
      })
    })
    request.on('error', reject)
  })
}

function summary(taken: number[]): Times {
  const sorted = taken.toSorted((a, b) => a - b)
  const at = (share: number) =>
    Number(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(2))
  return { median_ms: at(0.5), p95_ms: at(0.95), max_ms: at(1) }
}
