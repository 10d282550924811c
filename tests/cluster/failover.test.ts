import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../src/platform/postgres/database.ts'
import { isConnectionLost } from '../../src/platform/postgres/failures.ts'
import { newPayoutMerchant } from '../faults/payout-merchant.ts'
import { installOn } from '../harness/installation.ts'
import { addEndpoint, newMerchant } from '../harness/merchant.ts'
import { checkMoney, checkPayouts, waitForEnds, waitForPayouts } from '../harness/oracle.ts'
import { cannotStartServers, startPair } from '../harness/postgres-servers.ts'
import { startReceiver } from '../harness/receiver.ts'
import { openSeed } from '../harness/seed.ts'
import { waitFor } from '../harness/wait-for.ts'
import { checkAcknowledged, checkEvents, eventsUnderWay } from './many-machines-books.ts'
import { type BalancedLoad, startBalancedLoad } from './many-machines-load.ts'

/** The time after the promotion of the standby within which the service recovers by itself. */
const BACK_MS = 30_000
const RECOVERY_MS = 60_000

test('when the database dies or freezes under load and its standby takes over, no acknowledged request is lost or done twice, and the service recovers by itself', {
  skip: cannotStartServers,
  timeout: 115_000,
}, async (t) => {
  const seed = openSeed(t)
  // Either the machine is gone with all connections, or it freezes and its connections stay open.
  const freezes = seed.chance(0.5)
  await using pair = await startPair({ synchronous: true })
  const { primary, standby, url } = pair
  await using receiver = await startReceiver()
  const installation = await installOn(url)
  await using api = await installation.start({ args: ['--only', 'api'] })
  await using worker = await installation.start({ args: ['--only', 'worker'] })
  const sql = openDatabase({ url, connections: 3, name: 'test' })
  await using _sql = { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) }
  const merchant = await newMerchant(sql, {
    commission: 100,
    endpoint: { url: receiver.url, secret_key: installation.secret_key },
  })
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

  await (freezes ? primary.freeze() : primary.fall())
  const acknowledged = load.requests.filter((request) => request.acknowledged !== null)
  const fellAt = performance.now()
  await standby.promote()
  const promotedAt = performance.now()
  await takeMore(load, 50)
  const backAfter_ms = Math.round(performance.now() - promotedAt)
  assert.ok(backAfter_ms < BACK_MS, `back after ${backAfter_ms} ms`)
  // A connection of this test may be to the dead server. The test drops it when it sees that.
  const asked = () => eventsUnderWay(sql).catch((error) => (isConnectionLost(error) ? null : Promise.reject(error)))
  const underWay = new Set(await waitFor(asked, { deadline_ms: BACK_MS, what: 'us to be heard there' }))

  // The old server wakes, or an unknowing administrator restarts it. It believes that it is the primary.
  await (freezes ? primary.thaw() : primary.start())
  assert.deepEqual(await primary.ask('select pg_is_in_recovery() as standby'), [{ standby: false }])
  await takeMore(load, 50)

  await load.stop()
  await load.confirm()
  // Callers were told while there was no database.
  assert.deepEqual(
    load.wrong.filter((what) => !/^50[03]: /.test(what)),
    [],
  )
  const slowest_ms = Math.max(...load.sent.map(({ began, ended }) => ended - began))
  assert.ok(slowest_ms < 10_500, `somebody waited ${slowest_ms} ms`)
  await waitForPayouts(sql, RECOVERY_MS)
  const again = await waitForEnds(sql, RECOVERY_MS)
  await checkAcknowledged(sql, load.requests)
  await checkMoney(sql, installation)
  const payouts = await checkPayouts(sql)
  const { events, twice } = await checkEvents(sql, receiver, underWay, RECOVERY_MS)
  t.diagnostic(
    `${freezes ? 'frozen' : 'killed'}: ${acknowledged.length} acknowledged before, ${load.requests.length} in all, ${again} payments sent again, payouts ` +
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
