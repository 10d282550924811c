import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { audit } from '../../src/app/audit.ts'
import { readFigures } from '../../src/listings/figures-store.ts'
import { refused } from '../contract/commands.ts'
import { runCommand } from '../harness/command-line.ts'
import { databaseSettings } from '../harness/database.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { fillManyPayments } from '../harness/listed-payments.ts'
import type { Merchant } from '../harness/merchant.ts'
import { livemode, mode } from '../harness/mode.ts'
import { program } from '../harness/program.ts'
import { waitFor } from '../harness/wait-for.ts'
import { newPayoutMerchant, type PayoutMerchant, payout } from './payout-merchant.ts'

// These tests damage lists and figures by hand while the service runs, and repair them with the command.

const AMA = ['--as', 'ama@example.com']

let installation: Installation
let collector: Merchant
let sender: PayoutMerchant

before(async () => {
  installation = await openInstallation({ own: 'moves the clock' })
  collector = await installation.newMerchant()
  sender = await newPayoutMerchant(installation.db.sql, { funds: 20_000 })
  await Promise.all([trade('0000'), trade('0001')])
  await settled()
  // The audit does not require both passes of the worker for operations of the last hour.
  await installation.db.moveClock('2 hours')
  await untilListed(4)
})
after(() => installation[Symbol.asyncDispose]())

/** Creates a payment and a payout; the last digits of the number choose their ends. */
async function trade(end: string): Promise<void> {
  const paid = await installation.pay(collector.key, { amount: 1_000, counterparty: { msisdn: `070000${end}` } })
  assert.equal(paid.status, 201)
  assert.equal((await installation.ask(payout(sender, { amount: 500, msisdn: `070000${end}` }))).status, 201)
}

async function settled(): Promise<void> {
  const { sql } = installation.db
  const ended = async () =>
    (
      await sql`select from payments where status in ('created', 'pending')
                 union all select from payouts where status in ('created', 'processing')`
    ).length === 0
  await waitFor(ended, { what: 'every operation to have an outcome' })
}

/** Waits until the worker has made both passes over the operations from before the clock moved. */
async function untilListed(count: number): Promise<void> {
  const { sql } = installation.db
  const all = async () => {
    const [row] = await sql<{ listed: number; passed: boolean }[]>`
      select (select count(*)::integer from listed_operations) as listed,
             (select bool_and(before_id > coalesce((select max(id) from listed_operations), 'z'))
                from listing_progress
               where source like '%again') as passed`
    return row!.listed >= count && row!.passed
  }
  await waitFor(all, { what: `${count} operations to be listed` })
}

function env() {
  const { PATH, HOME } = process.env
  return { PATH, HOME, ...databaseSettings(installation.db.url), SECRET_KEY: installation.secret_key }
}

/** The payments of the collector, as its charts count them. */
async function charted(): Promise<number> {
  const tenant = { merchant_id: collector.merchant_id, livemode }
  const { days } = await readFigures(installation.db.sql, tenant, 'payment', { from: '2020-01-01', to: '2999-12-31' })
  return days.reduce((sum, { count }) => sum + count, 0)
}

const wrong = async () => {
  const { checks } = await audit(installation.db.sql)
  return checks.flatMap((one) => (one.wrong > 0 ? [one.check.slice(0, 17)] : []))
}
const rebuild = (...words: string[]) => installation.bandama('listings', 'rebuild', ...words, ...AMA)
const of = ({ merchant_id }: { merchant_id: number }) => ['--merchant', String(merchant_id), '--mode', mode]
const damaged = ['the daily figures', 'every operation t']

test('a repair mends damaged figures and lists while money moves, and a second repair finds nothing', async () => {
  const { sql } = installation.db
  assert.deepEqual(await wrong(), [])
  await sql`update daily_figures set count = count + 3, amount = amount - 1 where kind = 'payment' and status = 'succeeded'`
  await sql`update daily_figures set day = day - 40 where kind = 'payout' and status = 'failed'`
  await sql`delete from listed_operations where kind = 'payout' and status = 'succeeded'`
  await sql`update listed_operations set last4 = '9999' where kind = 'payment' and status = 'failed'`
  await sql`insert into listed_operations (merchant_id, livemode, kind, id, version, status, amount)
            select merchant_id, livemode, kind, 'txn_0', version, status, amount from listed_operations limit 1`
  assert.deepEqual(await wrong(), damaged)

  const [{ code, answer, said }] = await Promise.all([
    runCommand(env(), ['listings', 'rebuild', ...AMA]),
    ...Array.from({ length: 10 }, () => trade('0000')),
  ])
  assert.equal(code, 0)
  assert.match(said, /^payments\. Operations: \d+ looked at, /, 'it says how far it is')
  const { listed, relisted, removed, figures } = answer as Record<string, number>
  assert.deepEqual([listed, relisted, removed], [1, 1, 1])
  assert.ok(
    figures! >= 4,
    'one figure of payments, two of the payouts that stood on another day, and that of the missing one',
  )
  await settled()
  assert.deepEqual(await wrong(), [])
  assert.equal(await charted(), 12, 'what the worker has not come to is not counted twice')

  const { looked_at, ...again } = (await rebuild()) as Record<string, number>
  assert.ok(looked_at! >= 4)
  assert.deepEqual([again.listed, again.relisted, again.removed, again.figures], [0, 0, 0, 0])
  const acts = await sql`
    select actor, door, merchant_id::integer as merchant_id, after from audit_log where act = 'listings.rebuild' order by at limit 1`
  assert.deepEqual(acts, [
    { actor: 'ama@example.com', door: 'break_glass', merchant_id: 0, after: { from: null, to: null } },
  ])
})

test('a repair of one merchant or of some days touches nothing else', async () => {
  const { sql } = installation.db
  const harm = () => sql`update daily_figures set count = count + 1 where status = 'succeeded'`
  await harm()
  await rebuild(...of(collector))
  const left = async () =>
    (
      await sql<{ kind: string }[]>`
      select kind from daily_figures f
       where status = 'succeeded'
         and count <> (select count(*) from listed_operations l
                        where (l.merchant_id, l.livemode, l.kind, l.status) = (f.merchant_id, f.livemode, f.kind, f.status))
       group by kind`
    ).map(({ kind }) => kind)
  assert.deepEqual(await left(), ['payout'])
  await rebuild('--from', '2020-01-01', '--to', '2020-01-31')
  assert.deepEqual(await left(), ['payout'])
  const today = new Date(Date.now() + 7_200_000).toISOString().slice(0, 10)
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  await rebuild('--from', yesterday, '--to', today)
  assert.deepEqual(await wrong(), [])
})

test('a repair refuses an unknown merchant and invalid days', async () => {
  await refused(rebuild('--merchant', '999999', '--mode', mode), /There is no merchant 999999/)
  await refused(rebuild('--from', '2026-02-30', '--to', '2026-03-01'), /must be days such as/, 2)
  await refused(rebuild('--from', '2026-02-01'), /must be days such as/, 2)
})

test('after a kill a repair starts again and finds its earlier work in order', async () => {
  const { sql } = installation.db
  const { merchant_id } = await installation.newMerchant()
  // These rows are of earlier days, to which the worker does not return.
  await fillManyPayments(sql, { merchant_id, livemode }, 20_000)
  const listed = async () => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::integer as count from listed_operations where merchant_id = ${merchant_id}`
    return row!.count
  }
  const child = spawn(program, ['listings', 'rebuild', ...AMA], {
    env: env(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // The command prints its first line after its first step.
  child.stderr.once('data', () => child.kill('SIGKILL'))
  await once(child, 'close')
  const before = await listed()
  assert.ok(before >= 1_900 && before < 20_000, `${before} were listed before the kill`)
  const { listed: after } = (await rebuild()) as { listed: number }
  assert.deepEqual([before + after, await listed()], [20_000, 20_000])
  const [counted] = await sql<{ count: number }[]>`
    select sum(count)::integer as count from daily_figures where merchant_id = ${merchant_id}`
  assert.equal(counted!.count, 20_000)
})
