import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkMoney, waitForEnds } from '../faults/books.ts'
import { newMerchant, openInstallation } from '../faults/installation.ts'
import { checkPayouts, waitForPayouts } from '../faults/payout-books.ts'
import { newPayoutMerchant } from '../faults/payout-merchant.ts'
import { openTestDatabase } from '../harness/database.ts'
import { cannotStartPooler, startPooler } from '../harness/pooler.ts'
import { openSeed } from '../harness/seed.ts'
import { startService } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkAcknowledged } from './many-machines-books.ts'
import { type BalancedLoad, startBalancedLoad } from './many-machines-load.ts'

const skip = cannotStartPooler
const RECOVERY_MS = 60_000

test('several processes share a few connections of a pooler, which falls under load and comes back: nothing is lost or done twice', {
  skip,
  timeout: 110_000,
}, async (t) => {
  const seed = openSeed(t)
  await using db = await openTestDatabase()
  const { sql, session_url } = db
  // Fewer than one process has for itself alone.
  await using pooler = await startPooler(session_url, { connections: 5 })
  const installation = await openInstallation(pooler.url, {
    DATABASE_POOLER: 'transaction',
    DATABASE_SESSION_URL: session_url,
  })
  await using api = await installation.start(['--only', 'api'])
  await using worker = await installation.start(['--only', 'worker'])
  const merchant = await newMerchant(sql, installation.secret_key, null)
  const payer = await newPayoutMerchant(sql, { funds: 1_000_000_000 })
  const load = startBalancedLoad({
    addresses: [api.address],
    seed,
    collector: merchant.key,
    payer,
    clients: 24,
    pause_ms: 120,
  })
  await using _load = { [Symbol.asyncDispose]: load.stop }
  await takeMore(load, 200)
  const [shared] = await sql<{ connections: number; sessions: number }[]>`
    select count(*) filter (where application_name <> 'bandama beat') as connections,
           count(*) filter (where application_name = 'bandama beat') as sessions
      from pg_stat_activity
     where datname = current_database() and application_name like 'bandama %'`
  assert.ok(shared!.connections <= 5, `${shared!.connections} connections`)
  assert.equal(shared!.sessions, 1, 'the worker has a session of its own')

  for (let round = 0; round < 2; round += 1) {
    await pooler.fall()
    await pooler.start()
    await takeMore(load, 50)
  }
  await load.stop()
  await load.confirm()
  // While the pooler was away a caller was told so.
  assert.deepEqual(
    load.wrong.filter((what) => !/^50[03]: /.test(what)),
    [],
  )
  await waitForPayouts(sql, RECOVERY_MS)
  const again = await waitForEnds(sql, RECOVERY_MS)
  await checkAcknowledged(sql, load.errands)
  await checkMoney(sql, installation)
  const payouts = await checkPayouts(sql)
  t.diagnostic(
    `${load.errands.length} errands over ${shared!.connections} connections, ${again} payments sent again, payouts ` +
      JSON.stringify(payouts),
  )
  await worker.stop()
  await api.stop()
})

test('a pooler that nobody told us of is named at the start, whether it refuses our settings or drops them', {
  skip,
}, async () => {
  await using db = await openTestDatabase()
  const dropped = 'statement_timeout,lock_timeout,idle_in_transaction_session_timeout,options'
  for (const settings of [{}, { ignore_startup_parameters: dropped }]) {
    await using pooler = await startPooler(db.session_url, { connections: 5, settings })
    await assert.rejects(
      startService({ url: null, env: { DATABASE_URL: pooler.url } }),
      /is behind a pooler, which keeps our settings from it: set DATABASE_POOLER=transaction/,
    )
  }
})

test('a pooler without an address for sessions, or with that of another database, is refused at the start', {
  skip,
}, async () => {
  await using db = await openTestDatabase()
  await using other = await openTestDatabase()
  await using pooler = await startPooler(db.session_url, { connections: 5 })
  const env = { DATABASE_URL: pooler.url, DATABASE_POOLER: 'transaction' }
  await assert.rejects(
    startService({ url: null, env }),
    /needs .* DATABASE_SESSION_URL, which leads to the server itself/,
  )
  await assert.rejects(
    startService({ url: null, env: { ...env, DATABASE_SESSION_URL: other.session_url } }),
    /DATABASE_URL and DATABASE_SESSION_URL lead to different databases/,
  )
})

async function takeMore(load: BalancedLoad, count: number): Promise<void> {
  const before = load.acknowledged()
  await waitFor(() => load.acknowledged() >= before + count, { deadline_ms: 30_000, what: 'requests to be taken' })
}
