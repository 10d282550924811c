import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTestDatabase } from '../../tests/harness/database.ts'
import { createPayments, movePayment } from '../../tests/harness/listed-payments.ts'
import { newMerchant } from '../../tests/harness/merchant.ts'
import { waitFor } from '../../tests/harness/wait-for.ts'
import { machineMilliseconds } from '../platform/clock.ts'
import type { Statement } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type OperatorFigures, readFigures } from './figures-store.ts'
import { createFillListings } from './fill-listings.ts'

const db = await openTestDatabase()
after(() => db[Symbol.asyncDispose]())
const { sql } = db

const never = new AbortController().signal
/** Lists all that exists. It waits for the end of the last row's millisecond, because until then others might come in it. */
async function fill(workers = 1): Promise<void> {
  const last = machineMilliseconds()
  await waitFor(async () => machineMilliseconds() > last, { what: 'the next millisecond' })
  const work = createFillListings({ sql, listed_after_ms: 0 })
  await Promise.all(Array.from({ length: workers }, () => work(never)))
}

const dayOf = (moment: Date) => moment.toISOString().slice(0, 10)
const yesterday = new Date(Date.now() - 86_400_000)
/** Up to tomorrow, for a test that runs over midnight. */
const wanted = { from: dayOf(yesterday), to: dayOf(new Date(Date.now() + 86_400_000)) }

async function newTenant(): Promise<Tenant> {
  return { merchant_id: (await newMerchant(sql)).merchant_id, livemode: false }
}

/** Computes the same sums from the payments themselves. */
async function truth({ merchant_id }: Tenant) {
  const of = (what: Statement<object[]>, order = sql`1, 2`) => sql`
    select ${what} as what, status, count(*) as count,
           sum(amount)::bigint as amount, sum(case when succeeded_at is null then 0 else fee_amount end)::bigint as fee_amount
      from payments
     where merchant_id = ${merchant_id}
     group by 1, 2 order by ${order}`
  const [days, operators, reasons] = await Promise.all([
    of(sql`(created_at at time zone 'UTC')::date::text`),
    of(sql`coalesce(operator, '')`),
    of(sql`coalesce(failure_code, '')`, sql`2, 1`),
  ])
  return {
    days: days.map(({ what: day, ...sums }) => ({ day, ...sums })),
    operators: operators.map(({ what: operator, status, count }) => ({ operator, status, count })),
    reasons: reasons.map(({ what: failure_code, status, count }) => ({ status, failure_code, count })),
  }
}

/** Merges the figures that differ only in the time until the confirmation. */
function withoutSeconds(figures: readonly OperatorFigures[]) {
  const alike = Map.groupBy(figures, ({ operator, status }) => `${operator} ${status}`)
  return [...alike.values()].map((some) => {
    const { operator, status } = some[0]!
    return { operator, status, count: some.reduce((all, { count }) => all + count, 0) }
  })
}

test('daily figures equal those of the payments at every progress of the worker', async () => {
  const [tenant, other] = [await newTenant(), await newTenant()]
  const own = { amount: 10_000, fee_amount: 100, net_amount: 9_900, amount_collected: 10_000 }
  const ids = await sql.begin((tx) =>
    createPayments(tx, tenant, new Date(), [
      { ...own, operator: 'wave_ci', created_at: yesterday },
      ...Array.from({ length: 5 }, () => ({ ...own, operator: 'orange_ci' })),
    ]),
  )
  await sql.begin((tx) => createPayments(tx, other, new Date(), [own]))
  const agree = async (when: string) => {
    const figures = await readFigures(sql, tenant, 'payment', wanted)
    assert.deepEqual({ ...figures, operators: withoutSeconds(figures.operators) }, await truth(tenant), when)
    return figures.operators
  }
  const move = (nth: number, ...to: Parameters<typeof movePayment>[3]) =>
    movePayment(sql, tenant, ids[nth]!, to, new Date())

  await agree('nothing is listed')
  await move(0, 'pending', 'succeeded')
  await move(1, 'pending')
  await fill()
  await agree('all is listed')
  await move(0, 'refunded')
  await move(1, 'succeeded')
  await move(2, 'pending', 'succeeded')
  await move(3, 'pending')
  await move(3, 'failed')
  const [late] = await sql.begin((tx) => createPayments(tx, tenant, new Date(), [own]))
  await agree('some have moved since, twice even, and one is new')
  await fill(3)
  const listed = await agree('several workers have listed it')
  ids.push(late!)
  await move(6, 'pending')
  await fill()
  await agree('and the new one moved')
  // A second may end between two payments, which then count in two steps of the time.
  const timed = listed.filter(({ within_seconds }) => within_seconds > 0).map(({ status }) => status)
  const untimed = listed.filter(({ within_seconds }) => within_seconds === 0).map(({ status }) => status)
  assert.deepEqual(
    new Set(timed),
    new Set(['succeeded', 'refunded']),
    'the time until the confirmation is known of those that succeeded',
  )
  assert.deepEqual(new Set(untimed), new Set(['created', 'failed']), 'and of no other')
  const rows = await sql`
    select sum(count)::integer as count from daily_figures where merchant_id = ${tenant.merchant_id}`
  assert.deepEqual(rows, [{ count: 7 }], 'each is counted once')
  const none = { days: [], operators: [], reasons: [] }
  assert.deepEqual(await readFigures(sql, { ...tenant, livemode: true }, 'payment', wanted), none)
})
