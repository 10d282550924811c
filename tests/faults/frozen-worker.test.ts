import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../../src/platform/postgres/database.ts'
import { openTestDatabase } from '../harness/database.ts'
import { installOn } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { checkAcknowledged, checkEvents, checkMoney, waitForEnds } from '../harness/oracle.ts'
import { startReceiver } from '../harness/receiver.ts'
import { openSeed } from '../harness/seed.ts'
import { waitFor } from '../harness/wait-for.ts'
import { confirm, startLoad } from './load.ts'

/** The leases of the frozen worker last 30 s; then the other workers have all of its work. */
const TAKEN_OVER_MS = 45_000

// Slow: the test waits until the leases of a frozen worker have run out.
test('a worker that freezes during its work, is replaced by another and wakes again does nothing twice', async (t) => {
  const seed = openSeed(t)
  await using db = await openTestDatabase()
  await using receiver = await startReceiver()
  const installation = await installOn(db.url)
  const merchant = await newMerchant(db.sql, {
    commission: 100,
    endpoint: { url: receiver.url, secret_key: installation.secret_key },
  })
  await using _api = await installation.start({ args: ['--only', 'api'] })
  await using frozen = await installation.start({ args: ['--only', 'worker'] })
  const load = startLoad({ address: installation.address, key: merchant.key, seed })
  await using _stopped = { [Symbol.asyncDispose]: load.stop }

  await waitFor(() => load.acknowledgements > 200, { what: 'the load' })
  const held = await freezeInTheMiddle(frozen.pid, db.sql)
  const frozenAt = performance.now()
  await using other = await installation.start({ args: ['--only', 'worker'] })
  const before = load.acknowledgements
  await waitFor(() => load.acknowledgements > before + 300, { what: 'the load to go on' })
  await load.stop()
  await waitFor(async () => (await heldBy(db.sql, frozen.pid)).jobs === 0, {
    deadline_ms: TAKEN_OVER_MS - (performance.now() - frozenAt),
    what: 'the work of the frozen worker to be given to the other',
  })
  await waitFor(() => /queue: leases expired, their jobs are released/.test(other.output()), {
    what: 'the other to say so',
  })
  const takenOver_ms = performance.now() - frozenAt
  // The other worker does the jobs of the frozen one, before that wakes and continues in the middle of them.
  await waitForEnds(db.sql)
  process.kill(frozen.pid, 'SIGCONT')
  await confirm(load, { address: installation.address, key: merchant.key })
  // The woken worker does not make the sends that it had begun so long ago, and records that. Half a minute later they begin anew.
  const again = await waitForEnds(db.sql, 60_000)
  await checkAcknowledged(db.sql, load)
  await checkEvents(db.sql, receiver, merchant, 60_000)
  await frozen.stop()
  await other.stop()
  await checkMoney(db.sql, installation)
  t.diagnostic(
    `frozen with ${held.jobs} jobs and ${held.sending} sends under way, taken over after ${Math.round(takenOver_ms)} ms; ` +
      `${load.wanted.length} payments, ${again} sent again`,
  )
})

/** Freezes the process while it holds jobs and has begun sends whose end is not written. Returns its jobs and sends. */
async function freezeInTheMiddle(pid: number, sql: Sql) {
  for (let tries = 0; tries < 200; tries += 1) {
    process.kill(pid, 'SIGSTOP')
    // The database soon finishes the statements that the process had already sent.
    await sleep(100)
    const held = await heldBy(sql, pid)
    if (held.jobs > 0 && held.sending > 0) return held
    process.kill(pid, 'SIGCONT')
    await sleep(5 + (tries % 7))
  }
  return assert.fail('The worker was never in the middle of anything.')
}

/** The jobs that the workers of this process hold, and the begun sends of all processes. */
async function heldBy(sql: Sql, pid: number) {
  const [row] = await sql<{ jobs: number; sending: number }[]>`
    select (select count(*) from jobs where locked_by like ${`%-${pid}-%`}) as jobs,
           (select count(*) from instructions where state = 'sending') as sending`
  return row!
}
