import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Demo } from '../../src/app/demo.ts'
import { createLog } from '../../src/platform/log.ts'
import { openDatabase, type Sql } from '../../src/platform/postgres/database.ts'
import { startEmbeddedPostgres } from '../../src/platform/postgres/embedded/start.ts'
import { installOn } from '../harness/installation.ts'
import { newMerchant } from '../harness/merchant.ts'
import { checkAcknowledged, checkEvents, checkMoney, waitForEnds } from '../harness/oracle.ts'
import { startReceiver } from '../harness/receiver.ts'
import { openSeed, type Seed } from '../harness/seed.ts'
import type { Service } from '../harness/start-service.ts'
import { waitFor } from '../harness/wait-for.ts'
import { emptyDataDir } from './data-dir.ts'
import { confirm, type Load, startLoad } from './load.ts'

/** The time within which the service accepts payments again after the server accepts connections. */
const NORMAL_MS = 30_000
/** The longest wait of a caller for any answer. */
const HANG_MS = 10_500
const log = createLog('silent', 'test')

test('a database that is restarted, killed or cut off under load delays work, and nothing is lost or done twice', {
  timeout: 300_000,
}, async (t) => {
  const seed = openSeed(t)
  await using folder = await emptyDataDir()
  // It starts its server again when that dies, as a machine's init does.
  const postgres = await startEmbeddedPostgres({ dataDir: folder.path, log, own: true })
  await using _postgres = { [Symbol.asyncDispose]: () => postgres.stop() }
  const url = postgres.url.reveal()
  await using receiver = await startReceiver()
  const installation = await installOn(url)
  await using api = await installation.start({ args: ['--only', 'api'] })
  await using worker = await installation.start({ args: ['--only', 'worker'] })
  const sql = openDatabase({ url, connections: 2, name: 'test' })
  await using _sql = { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) }
  const merchant = await newMerchant(sql, {
    commission: 100,
    endpoint: { url: receiver.url, secret_key: installation.secret_key },
  })
  const load = startLoad({ address: installation.address, key: merchant.key, seed })
  await using _load = { [Symbol.asyncDispose]: load.stop }

  const faults = {
    restarted: () => endServer(folder.path, 'SIGINT'),
    killed: () => endServer(folder.path, 'SIGKILL'),
    cut: () => endConnections(sql),
  }
  const normal_ms = await inflict(seed, load, [
    faults.restarted,
    faults.killed,
    faults.killed,
    faults.cut,
    faults.cut,
    faults.cut,
  ])
  checkAnswers(load)
  for (const service of [api, worker]) assert.ok(!hasEnded(service), service.output())

  await load.stop()
  await confirm(load, { address: installation.address, key: merchant.key })
  const again = await waitForEnds(sql, 60_000)
  await checkAcknowledged(sql, load)
  await checkMoney(sql, installation)
  await checkEvents(sql, receiver, merchant, 60_000)
  report(t, load, normal_ms, again)
  await api.stop()
  await worker.stop()
})

test('a service restarts its own database when the database is killed', { timeout: 300_000 }, async (t) => {
  const seed = openSeed(t)
  await using folder = await emptyDataDir()
  const installation = await installOn(null, { DATA_DIR: folder.path, DEMO: 'on' })
  await using service = await installation.start()
  const demo = JSON.parse(await readFile(join(folder.path, 'demo.json'), 'utf8')) as Demo
  const key = demo.keys.collect_test
  const load = startLoad({ address: installation.address, key, seed })
  await using _load = { [Symbol.asyncDispose]: load.stop }
  const kill = () => endServer(folder.path, 'SIGKILL')
  const normal_ms = await inflict(seed, load, [kill, kill])
  checkAnswers(load)
  assert.ok(!hasEnded(service), service.output())

  await load.stop()
  await confirm(load, { address: installation.address, key })
  const beside = await startEmbeddedPostgres({ dataDir: folder.path, log, own: false })
  await using _beside = { [Symbol.asyncDispose]: () => beside.stop() }
  const sql = openDatabase({ url: beside.url.reveal(), connections: 2, name: 'test' })
  await using _sql = { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) }
  const again = await waitForEnds(sql, 60_000)
  await checkAcknowledged(sql, load)
  await checkMoney(sql, installation)
  report(t, load, normal_ms, again)
  await service.stop()
})

/** Applies the faults to the database one after the other, in random order. Returns for each the time without accepted payments. */
async function inflict(seed: Seed, load: Load, faults: (() => Promise<void>)[]): Promise<number[]> {
  const left = [...faults]
  const normal_ms: number[] = []
  while (left.length > 0) {
    await takePayments(load, 50)
    await sleep(seed.between(100, 1_000))
    const [fault] = left.splice(seed.between(0, left.length - 1), 1)
    const began = performance.now()
    await fault!()
    await takePayments(load, 50)
    normal_ms.push(Math.round(performance.now() - began))
  }
  assert.ok(Math.max(...normal_ms) < NORMAL_MS, `back to normal after ${normal_ms} ms`)
  return normal_ms
}

async function takePayments(load: Load, count: number): Promise<void> {
  const before = load.acknowledgements
  await waitFor(() => load.acknowledgements >= before + count, { deadline_ms: NORMAL_MS, what: 'payments to be taken' })
}

/** Checks that callers got only answers that they can act on, and in time. */
function checkAnswers(load: Load): void {
  assert.deepEqual(
    [...load.answers.keys()].filter((status) => ![201, 409, 500, 503].includes(status)),
    [],
  )
  assert.equal(load.unanswered, 0, 'every request was answered')
  assert.ok(load.slowest_ms < HANG_MS, `the slowest answer took ${load.slowest_ms} ms`)
}

/** Ends the server of a folder, SIGINT as for a restart, SIGKILL as a machine in need of memory; resolves when another runs. */
async function endServer(dataDir: string, signal: NodeJS.Signals): Promise<void> {
  const note = join(dataDir, 'postgres', 'cluster', 'postmaster.pid')
  const pidOf = async () => Number.parseInt(await readFile(note, 'utf8').catch(() => ''), 10)
  const ended = await pidOf()
  process.kill(ended, signal)
  await waitFor(async () => ![ended, Number.NaN].includes(await pidOf()), {
    deadline_ms: NORMAL_MS,
    what: 'the server to be started again',
  })
}

/** Ends all connections of the service at once. */
async function endConnections(sql: Sql): Promise<void> {
  const ended = await sql`
    select pg_terminate_backend(pid)
      from pg_stat_activity
     where datname = current_database() and application_name like 'bandama %'`
  assert.ok(ended.count >= 3, `${ended.count} connections were ended`)
}

function hasEnded({ pid }: Service): boolean {
  try {
    return !process.kill(pid, 0)
  } catch {
    return true
  }
}

function report(t: TestContext, load: Load, normal_ms: number[], again: number): void {
  const answers = [...load.answers].map(([status, count]) => `${count} × ${status}`).join(', ')
  t.diagnostic(
    `${load.wanted.length} payments, ${answers}, slowest ${Math.round(load.slowest_ms)} ms; ` +
      `payments again after ${normal_ms.join(', ')} ms; ${again} sent again`,
  )
}
