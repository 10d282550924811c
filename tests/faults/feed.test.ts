import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createLog } from '../../src/platform/log.ts'
import { openDatabase, type Sql } from '../../src/platform/postgres/database.ts'
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded/start.ts'
import type { Tenant } from '../../src/values/caller.ts'
import { JOIN_EPOCH } from '../../src/webhooks/feed/epoch-store.ts'
import { installOn, type KeptInstallation } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { openSeed, type Seed } from '../harness/seed.ts'
import { waitFor } from '../harness/wait-for.ts'
import { emptyDataDir } from './data-dir.ts'
import { type Follower, startFollower, startWriters } from './feed-followers.ts'

// Followers of the feed under everything that happens to them: writers that commit out of order, killed services, a killed database, cut
// connections, and a database that is put back to an older state, whose server then uses the same transaction numbers again.

/** Events to write. A night writes a hundred thousand (tests/nightly.ts). */
const EVENTS = Number(process.env.FEED_EVENTS ?? 3_000)
const WRITERS = 8
const FOLLOWERS = 4
/** Events between two faults. */
const FAULT_EVERY = Math.max(400, EVENTS / 25)
const PATIENCE_MS = 60_000 + EVENTS
const log = createLog('silent', 'test')

test('followers lose no event under parallel writers, kills, cuts and a restored copy, and repeat one at most for each death', {
  timeout: 240_000 + EVENTS * 5,
}, async (t) => {
  const seed = openSeed(t)
  await using folder = await emptyDataDir()
  let postgres = await startEmbeddedPostgres({ dataDir: folder.path, log, own: true })
  await using _postgres = { [Symbol.asyncDispose]: () => postgres.stop() }
  const url = postgres.url.reveal()
  const installation = await installOn(url)
  await using services = await startServices(installation)
  const sql = openDatabase({ url, connections: WRITERS + 2, name: 'test', greeting: JOIN_EPOCH })
  await using _sql = { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) }
  const { merchant_id, key } = await newMerchant(sql)
  const tenant = { merchant_id, livemode: false }
  const followers = Array.from({ length: FOLLOWERS }, (_, at) =>
    startFollower({ addressOf: () => services.addressOf(at), key, seed }),
  )
  await using _followers = { [Symbol.asyncDispose]: async () => void (await stopAll(followers).catch(() => {})) }
  const writeSome = (share: number, faults: readonly (() => Promise<void>)[]) =>
    write(sql, tenant, { seed, events: EVENTS * share, faults })
  const faults = [
    () => services.kill(0),
    () => endConnections(sql),
    () => endServer(folder.path),
    () => services.kill(1),
    () => endConnections(sql),
  ]

  await writeSome(0.6, faults)
  const kept = await untilCaughtUp(sql, tenant, followers)
  const copy = join(folder.path, 'kept')
  const cluster = join(folder.path, 'postgres', 'cluster')
  const restart = async (change: () => Promise<unknown>) => {
    await postgres.stop()
    await change()
    postgres = await startEmbeddedPostgres({ dataDir: folder.path, log, own: true })
    assert.equal(postgres.url.reveal(), url)
  }
  await restart(() => copyFolder(cluster, copy))
  await writeSome(0.2, [])
  const lost = await untilCaughtUp(sql, tenant, followers)
  for (const { restored } of followers) assert.deepEqual(restored, [], 'nothing was restored yet')
  await restart(async () => {
    await rm(cluster, { recursive: true })
    await copyFolder(copy, cluster)
  })
  assert.deepEqual(await readEvents(sql, tenant), kept)
  await writeSome(0.2, [endConnections.bind(null, sql)])
  const after = await untilRead(sql, tenant, followers)
  await stopAll(followers)

  const all = [...lost, ...after.slice(kept.length)]
  assert.equal(new Set(all).size, all.length)
  for (const [at, { handled, deaths, restored }] of followers.entries()) {
    const repeated = handled.length - new Set(handled).size
    checkHandled(handled, all, `follower ${at}`)
    assert.ok(repeated <= deaths, `follower ${at} repeated ${repeated} in ${deaths} deaths`)
    // Again if it died before it kept the next cursor.
    assert.equal(new Set(restored).size, 1, `follower ${at} was told of the restore once`)
  }
  const sum = (of: (follower: Follower) => number) => followers.map(of).reduce((one, other) => one + other)
  t.diagnostic(
    `${all.length} events to ${FOLLOWERS} followers, ${lost.length - kept.length} of them lost by the restore; ` +
      `${sum(({ cuts }) => cuts)} cuts, ${sum(({ deaths }) => deaths)} deaths, ${services.kills()} services killed`,
  )
})

/** Two processes of the API, of which the test kills one now and then. */
async function startServices(installation: KeptInstallation) {
  const start = (env: Record<string, string> = {}) => installation.start({ args: ['--only', 'api'], env })
  const running = [await start(), await start({ PORT: '0' })]
  let kills = 0
  return {
    addressOf: (at: number) => running[at % running.length]!.address,
    kills: () => kills,
    async kill(at: number): Promise<void> {
      kills += 1
      await running[at]!.kill('SIGKILL')
      running[at] = await start({ PORT: '0' })
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((service) => service[Symbol.asyncDispose]()))
    },
  }
}

/** Writes this many events and more, with a fault after each few hundred. */
async function write(
  sql: Sql,
  tenant: Tenant,
  { seed, events, faults }: { seed: Seed; events: number; faults: readonly (() => Promise<void>)[] },
): Promise<void> {
  const writers = startWriters(sql, tenant, { count: WRITERS, seed })
  const until = (count: number) =>
    waitFor(() => writers.written >= count, { deadline_ms: PATIENCE_MS, what: `${count} events to be written` })
  try {
    for (let at = 0; at * FAULT_EVERY < events; at += 1) {
      await until(Math.min(events, (at + 1) * FAULT_EVERY))
      await faults[at % faults.length]?.()
    }
  } finally {
    await writers.stop()
  }
}

/** Reads the events of the database in the order of the feed. */
async function readEvents(sql: Sql, { merchant_id, livemode }: Tenant): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from events where merchant_id = ${merchant_id} and livemode = ${livemode} order by epoch, tx, id`
  return rows.map(({ id }) => id)
}

/** Waits until each follower has handled the last event of the database, and returns all that it has. */
async function untilRead(sql: Sql, tenant: Tenant, followers: readonly Follower[]): Promise<string[]> {
  const events = await readEvents(sql, tenant)
  const last = events.at(-1)!
  await waitFor(() => followers.every(({ handled }) => handled.includes(last)), {
    deadline_ms: PATIENCE_MS,
    what: 'all followers to read the last event',
  })
  return events
}

/** The same, and each follower has handled nothing else. */
async function untilCaughtUp(sql: Sql, tenant: Tenant, followers: readonly Follower[]): Promise<string[]> {
  const events = await untilRead(sql, tenant, followers)
  for (const [at, { handled }] of followers.entries()) checkHandled(handled, events, `follower ${at}`)
  return events
}

/** Checks that a follower has handled each of these events and no other, in their order. */
function checkHandled(handled: readonly string[], events: readonly string[], name: string): void {
  const had = new Set(handled)
  const lost = events.filter((id) => !had.has(id))
  assert.equal(lost.length, 0, `${name} lost ${lost.length} of ${events.length} events`)
  assert.deepEqual([...had], events, `${name} has the events in the order of the feed`)
}

async function stopAll(followers: readonly Follower[]): Promise<void> {
  await Promise.all(followers.map((follower) => follower.stop()))
}

/** Ends all connections to the database at once, of the writers too. */
async function endConnections(sql: Sql): Promise<void> {
  await sql`
    select pg_terminate_backend(pid)
      from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and application_name !~ '^bandama embedded'`
}

/** Kills the server of a folder, and resolves when another runs. */
async function endServer(dataDir: string): Promise<void> {
  const note = join(dataDir, 'postgres', 'cluster', 'postmaster.pid')
  const pidOf = async () => Number.parseInt(await readFile(note, 'utf8').catch(() => ''), 10)
  const ended = await pidOf()
  process.kill(ended, 'SIGKILL')
  await waitFor(async () => ![ended, Number.NaN].includes(await pidOf()), {
    deadline_ms: 30_000,
    what: 'the server to be started again',
  })
}

/** Copies a folder with the owners and rights of its files. */
async function copyFolder(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to])
}
