import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase } from '../../../tests/harness/database.ts'
import { newMerchant } from '../../../tests/harness/merchant.ts'
import { firstIdAt } from '../../values/ids.ts'
import { createCountWeather } from './count-weather.ts'
import { ROW_MS } from './weather.ts'

test('a day is counted row by row where there were operations, and the empty rows between them together', async () => {
  await using db = await openTestDatabase()
  const { merchant_id } = await newMerchant(db.sql)
  const [clock] = await db.sql<{ now: Date }[]>`select clock_now() as now`
  const newest = Math.floor(clock!.now.getTime() / ROW_MS) * ROW_MS
  // Rows ago, newest first; two are neighbours.
  const places = [
    { ago: 3, prefix: 'txn', direction: 'collect' },
    { ago: 4, prefix: 'rfd', direction: 'refund' },
    { ago: 120, prefix: 'txn', direction: 'payout' },
    { ago: 280, prefix: 'rfd', direction: 'refund' },
  ] as const
  for (const { ago, prefix, direction } of places) {
    const subject_id = firstIdAt(prefix, newest - ago * ROW_MS + 1)
    await db.sql`
      insert into instructions (merchant_id, livemode, subject_id, operator, amount, currency, msisdn, direction, simulate, connector,
                                state, reference, created_at, sent_at, concluded_at)
      select ${merchant_id}, false, ${subject_id}, 'mtn_ci', 100, 'XOF', '+2250500000000', ${direction}, null, 'simulator',
             'confirmed', gen_random_uuid(), clock_now(), clock_now(), clock_now()`
  }
  let transactions = 0
  const sql = new Proxy(db.sql, {
    get(target, name) {
      if (name === 'begin') transactions += 1
      return Reflect.get(target, name)
    },
  })
  await createCountWeather({ sql })(new AbortController().signal)
  const rows = await db.sql<{ starts_at: Date; direction: string; succeeded: number }[]>`
    select starts_at, direction, succeeded from operator_weather order by starts_at desc`
  assert.deepEqual(
    rows.map(({ starts_at, ...row }) => ({ ago: (newest - starts_at.getTime()) / ROW_MS, ...row })),
    places.map(({ ago, direction }) => ({ ago, direction, succeeded: 1 })),
  )
  // Four stretches of empty rows, those of the present and of the oldest hour among them. The last transaction finds nothing due.
  assert.equal(transactions, places.length + 4 + 1)
})
