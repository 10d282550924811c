import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { openDatabase } from '../../src/platform/postgres/database.ts'
import { isConnectionLost } from '../../src/platform/postgres/failures.ts'
import { checkMoney, waitForEnds } from '../faults/books.ts'
import { newMerchant, openInstallation } from '../faults/installation.ts'
import { checkPayouts, waitForPayouts } from '../faults/payout-books.ts'
import { addEndpoint, newPayoutMerchant } from '../faults/payout-merchant.ts'
import { freePort } from '../harness/free-port.ts'
import { startReceiver } from '../harness/receiver.ts'
import { openSeed } from '../harness/seed.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkAcknowledged, checkEvents, eventsUnderWay } from './many-machines-books.ts'
import { type BalancedLoad, startBalancedLoad } from './many-machines-load.ts'
import { cannotStartServers, type Server, startPair } from './postgres-servers.ts'

/** The service works again within this after the standby was told to take over, by itself. */
const BACK_MS = 30_000
const RECOVERY_MS = 60_000
/** Said of a server whose loss would lose what it acknowledged, as that of one just promoted. */
const WAITS_FOR_NONE = /commits wait for no standby/

test('the database falls or freezes under load and its standby takes over: nothing acknowledged is lost, nothing is done twice, the service is back by itself, and the old one is not taken when it comes back', {
  skip: cannotStartServers,
  timeout: 115_000,
}, async (t) => {
  const seed = openSeed(t)
  // Sometimes its machine is gone, and with it all connections; sometimes it stands still and nobody is told.
  const freezes = seed.chance(0.5)
  await using pair = await startPair({ synchronous: true })
  const { primary, standby, url } = pair
  await using receiver = await startReceiver()
  const installation = await openInstallation(url)
  await using api = await installation.start(['--only', 'api'])
  await using worker = await installation.start(['--only', 'worker'])
  const sql = openDatabase({ url, connections: 3, name: 'test' })
  await using _sql = { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) }
  const merchant = await newMerchant(sql, installation.secret_key, receiver.url)
  const payer = await newPayoutMerchant(sql, { funds: 1_000_000_000 })
  await addEndpoint(sql, payer, { url: receiver.url, secret_key: installation.secret_key })
  const load = startBalancedLoad({
    addresses: [api.address],
    seed,
    collector: merchant.key,
    payer,
    clients: 12,
    pause_ms: 150,
  })
  await using _load = { [Symbol.asyncDispose]: load.stop }
  await takeMore(load, 100)

  for (const service of [api, worker]) assert.doesNotMatch(service.output(), WAITS_FOR_NONE)

  await (freezes ? primary.freeze() : primary.fall())
  const acknowledged = load.errands.filter((errand) => errand.acknowledged !== null)
  const fellAt = performance.now()
  await standby.promote()
  const promotedAt = performance.now()
  await takeMore(load, 50)
  const backAfter_ms = Math.round(performance.now() - promotedAt)
  assert.ok(backAfter_ms < BACK_MS, `back after ${backAfter_ms} ms`)
  // A connection of ours may be to the one that fell, and is lost when that is seen.
  const asked = () => eventsUnderWay(sql).catch((error) => (isConnectionLost(error) ? null : Promise.reject(error)))
  const underWay = new Set(await waitFor(asked, { deadline_ms: BACK_MS, what: 'us to be heard there' }))
  await waitFor(() => isHeard(standby), { deadline_ms: BACK_MS, what: 'the worker to listen there' })

  // It wakes, or is started again by somebody who does not know. It believes that it takes writes.
  await (freezes ? primary.thaw() : primary.start())
  assert.deepEqual(await primary.ask('select pg_is_in_recovery() as standby'), [{ standby: false }])
  await takeMore(load, 50)
  await using late = await installation.start(['--only', 'api'], { PORT: String(await freePort()) })
  assert.equal((await fetch(`${late.address}/readyz`)).status, 200)
  await waitFor(async () => (await usersOf(primary)).length === 0, {
    deadline_ms: 10_000,
    what: 'nobody to work on the one that came back',
  })
  assert.ok(!(await acknowledges(primary)), 'alone, it acknowledges nothing')

  await load.stop()
  await load.confirm()
  // While there was no database a caller was told so.
  assert.deepEqual(
    load.wrong.filter((what) => !/^50[03]: /.test(what)),
    [],
  )
  const slowest_ms = Math.max(...load.sent.map(({ began, ended }) => ended - began))
  assert.ok(slowest_ms < 10_500, `somebody waited ${slowest_ms} ms`)
  for (const service of [api, worker]) {
    assert.match(service.output(), /the database has moved/)
    assert.match(service.output(), WAITS_FOR_NONE)
  }
  await waitForPayouts(sql, RECOVERY_MS)
  const again = await waitForEnds(sql, RECOVERY_MS)
  await checkAcknowledged(sql, load.errands)
  await checkMoney(sql, installation)
  const payouts = await checkPayouts(sql)
  const { events, twice } = await checkEvents(sql, receiver, underWay, RECOVERY_MS)
  t.diagnostic(
    `${freezes ? 'frozen' : 'killed'}: ${acknowledged.length} acknowledged before, ${load.errands.length} in all, ${again} payments sent again, payouts ` +
      `${JSON.stringify(payouts)}; promoted after ${Math.round(promotedAt - fellAt)} ms, back ${backAfter_ms} ms later; ` +
      `slowest answer ${Math.round(slowest_ms)} ms; ${events} events, ${twice} of them twice`,
  )
  await worker.stop()
  await api.stop()
})

async function takeMore(load: BalancedLoad, count: number): Promise<void> {
  const before = load.acknowledged()
  await waitFor(() => load.acknowledged() >= before + count, { deadline_ms: BACK_MS, what: 'requests to be taken' })
}

/** Whether a worker holds its locks there, on the connection on which it listens. */
async function isHeard(server: Server): Promise<boolean> {
  const rows = await server.ask(`
    select from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and a.application_name = 'bandama beat'`)
  return rows.length > 0
}

/**
 * The processes of the service with a connection to work on. A connection that only checks the
 * server's status does not count, nor does a commit that waits for a standby for ever: its client has left.
 */
async function usersOf(server: Server): Promise<string[]> {
  const rows = await server.ask<{ name: string }>(`
    select application_name as name
      from pg_stat_activity
     where backend_type = 'client backend' and pid <> pg_backend_pid() and application_name <> 'bandama lookout'
       and wait_event is distinct from 'SyncRep'`)
  return rows.map(({ name }) => name)
}

/** Whether a write there is acknowledged within a second. */
async function acknowledges(server: Server): Promise<boolean> {
  const client = new pg.Client({ connectionString: server.url, query_timeout: 1_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    return await client.query('create table written_alone ()').then(
      () => true,
      () => false,
    )
  } finally {
    ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
  }
}
