import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { ownTime } from '../../../tests/harness/own-time.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { machineMilliseconds } from '../clock.ts'
import { createLog } from '../log.ts'
import { openDatabase } from '../postgres/database.ts'
import { defineJob, enqueue } from './jobs.ts'
import { runQueue } from './queue.ts'

const log = createLog('silent', 'test')
const job = defineJob<{ n: number }>('sample', 'money')

type Handler = (n: number, partition_key: string) => Promise<void> | void

/** A queue of `db` on a pool of its own, whose connections a test may end: they are those of the server. */
function startQueue(db: TestDatabase, handler: Handler, { concurrency = 4, ahead = 8, worker_id = 'us' } = {}) {
  const sql = openDatabase({ url: db.url, connections: 3, name: 'queue' })
  const handlers = new Map([
    [
      job.name,
      async (payload: unknown) => {
        const { n, partition_key } = payload as { n: number; partition_key: string }
        await handler(n, partition_key)
      },
    ],
  ])
  const queue = runQueue({ sql, queue: job.queue, worker_id, handlers, concurrency, ahead, log })
  const stop = async () => {
    await queue.stop()
    await sql.end({ timeout: 1 })
  }
  return { ...queue, stop, [Symbol.asyncDispose]: stop }
}

async function add(db: TestDatabase, count: number, delay_ms = 0, partition_key = ''): Promise<void> {
  const jobs = Array.from({ length: count }, (_, n) => ({ payload: { n, partition_key }, delay_ms, partition_key }))
  await db.sql.begin((tx) => enqueue(tx, job, jobs))
}

async function left(db: TestDatabase) {
  return [
    ...(await db.sql<{ attempts: number; locked_by: string | null; last_error: string | null }[]>`
      select attempts, locked_by, last_error from jobs order by attempts, locked_by`),
  ]
}

test('every job runs once, within the limit of concurrent jobs, and leaves nothing behind', async () => {
  await using db = await openTestDatabase()
  await add(db, 300)
  const ran: number[] = []
  let now = 0
  let most = 0
  await using _queue = startQueue(db, async (n) => {
    now += 1
    most = Math.max(most, now)
    await sleep(1)
    now -= 1
    ran.push(n)
  })
  await waitFor(async () => (await left(db)).length === 0)
  assert.deepEqual(
    ran.toSorted((a, b) => a - b),
    Array.from({ length: 300 }, (_, n) => n),
  )
  assert.equal(most, 4)
})

test('jobs that come one after the other within a few milliseconds are taken together', async () => {
  await using db = await openTestDatabase()
  const end = Promise.withResolvers<void>()
  let begun = 0
  const began = performance.now()
  await using queue = startQueue(
    db,
    () => {
      begun += 1
      return end.promise
    },
    { concurrency: 60 },
  )
  for (let n = 0; n < 60; n += 1) {
    await add(db, 1)
    queue.wake()
  }
  await waitFor(() => begun === 60)
  const most = (performance.now() - began) / 20 + 3
  const [row] = await db.sql<{ takes: number }[]>`select count(distinct locked_until) as takes from jobs`
  assert.ok(row!.takes <= most, `${row!.takes} takes, of ${most} that fit into the time`)
  end.resolve()
})

test('endless jobs of one partition hold up no other partition, however many wait', async () => {
  await using db = await openTestDatabase()
  await add(db, 500, 0, 'hangs')
  const end = Promise.withResolvers<void>()
  const ran = { hangs: 0, answers: 0 }
  await using queue = startQueue(db, async (_, partition) => {
    ran[partition as keyof typeof ran] += 1
    if (partition === 'hangs') await end.promise
  })
  // Before the queue stops, which waits for its jobs.
  using _ended = { [Symbol.dispose]: () => end.resolve() }
  await waitFor(async () => (await left(db)).filter(({ locked_by }) => locked_by === 'us').length === 12, {
    what: 'as many of them as a partition may have',
  })
  await add(db, 300, 0, 'answers')
  queue.wake()
  await waitFor(() => ran.answers === 300, { what: 'all of the other partition' })
  assert.equal(ran.hangs, 4)
  end.resolve()
  await waitFor(async () => (await left(db)).length === 0)
  assert.deepEqual(ran, { hangs: 500, answers: 300 })
})

test('a woken queue looks at once, and a later job waits for its time', async () => {
  await using db = await openTestDatabase()
  const ran: number[] = []
  await using queue = startQueue(db, () => void ran.push(performance.now()))
  // A first job, so that nothing is connected in the time that counts.
  await add(db, 1)
  queue.wake()
  await waitFor(() => ran.length === 1)
  ran.length = 0
  const began = performance.now()
  await add(db, 1, 3_000)
  await add(db, 1)
  queue.wake()
  await waitFor(() => ran.length === 2)
  assert.ok(ran[0]! - began < 2_500, `${ran[0]! - began} ms`)
  assert.ok(ran[1]! - began >= 3_000, `${ran[1]! - began} ms`)
})

test('an idle queue asks seldom', async () => {
  await using db = await openTestDatabase()
  await using _queue = startQueue(db, () => {})
  const transactions = async () => {
    const [row] = await db.sql<{ count: number }[]>`
      select xact_commit::float8 as count from pg_stat_database where datname = current_database()`
    return row!.count
  }
  // The server counts what a connection did with a second's delay.
  await sleep(6_500)
  const looksInFourSeconds = async () => {
    const before = await transactions()
    await sleep(4_000)
    return (await transactions()) - before
  }
  let looks = await looksInFourSeconds()
  // The server also counts its own upkeep of the database, which comes once a minute at most.
  if (looks > 30) looks = await looksInFourSeconds()
  assert.ok(looks <= 30, `${looks} looks in four seconds`)
})

test('a job added by its process wakes an idle queue at once', { timeout: 60_000 }, async (t) => {
  await using db = await openTestDatabase()
  const pass = ownTime(t)
  const ran: number[] = []
  await using queue = startQueue(db, (n) => void ran.push(n))
  /** Lets time pass, and the queue's questions be answered. */
  const live = async (ms: number) => {
    await pass(ms)
    await db.sql`select`
  }
  for (let round = 1; round <= 3; round += 1) {
    // After five seconds without a job it looks four times a second.
    for (let second = 0; second < 6; second += 0.1) await live(100)
    await add(db, 1)
    assert.equal(ran.length, round - 1, 'the queue found the job by itself')
    queue.wake()
    // No time passes here: a queue that waits for its next look never runs the job.
    while (ran.length < round) await db.sql`select`
  }
})

test('a job that fails is put back for later, with the kind of its error and nothing that quotes its payer', async () => {
  await using db = await openTestDatabase()
  await add(db, 1)
  let runs = 0
  let failed_at = 0
  await using queue = startQueue(db, () => {
    runs += 1
    failed_at = machineMilliseconds()
    throw Object.assign(new TypeError('the payer +2250700000000'), { code: 'E_SAMPLE' })
  })
  await waitFor(async () => (await left(db))[0]?.last_error != null)
  assert.deepEqual(await left(db), [{ attempts: 1, locked_by: null, last_error: 'TypeError E_SAMPLE' }])
  const [row] = await db.sql<{ run_at: Date }[]>`select run_at from jobs`
  const run_at = row!.run_at.getTime()
  // It was put back after it failed, and before now.
  assert.ok(run_at - failed_at > 1_000 && run_at - machineMilliseconds() < 3_000, `${run_at - failed_at} ms`)
  queue.wake()
  await sleep(300)
  assert.equal(runs, 1)
})

test('a stopping queue lets its running jobs end and gives back the others untouched', async () => {
  await using db = await openTestDatabase()
  await add(db, 10)
  const ends: (() => void)[] = []
  const queue = startQueue(db, () => new Promise<void>((resolve) => void ends.push(resolve)), { concurrency: 2 })
  // Taken in the database, and known to the queue.
  await waitFor(async () => ends.length === 2 && (await left(db)).every(({ locked_by }) => locked_by === 'us'))
  const stopped = queue.stop()
  await waitFor(async () => (await left(db)).filter(({ locked_by }) => locked_by === null).length === 8)
  for (const end of ends) end()
  await stopped
  assert.equal(ends.length, 2)
  assert.deepEqual(await left(db), Array(8).fill({ attempts: 0, locked_by: null, last_error: null }))
})

test('after a lost answer to a claim, the jobs that it took are free again', async () => {
  await using db = await openTestDatabase()
  await add(db, 1)
  // As the server has it when it took a job for us and we never heard.
  await db.sql`update jobs set locked_by = 'us', locked_until = now() + interval '30 seconds', attempts = 1`
  const ran: number[] = []
  await using _queue = startQueue(db, (n) => void ran.push(n))
  await sleep(600)
  assert.deepEqual(ran, [], 'while every question is answered it is another matter')
  await db.sql.begin(async (tx) => {
    await tx`lock table jobs in access exclusive mode`
    // Longer than a statement waits for a lock, whenever in this time it is given.
    await sleep(3_500)
  })
  await waitFor(() => ran.length === 1)
  await waitFor(async () => (await left(db)).length === 0)
})

test('a queue survives connections that end again and again: every job runs, and none stays taken', {
  timeout: 110_000,
}, async () => {
  await using db = await openTestDatabase()
  const ran = new Set<number>()
  await add(db, 500)
  await using _queue = startQueue(
    db,
    async (n) => {
      await sleep(20)
      ran.add(n)
    },
    { concurrency: 8, ahead: 16 },
  )
  let ended = 0
  while (ran.size < 500) {
    const cut = await db.sql`
      select pg_terminate_backend(pid)
        from pg_stat_activity
       where application_name = 'queue' and datname = current_database()`
    ended += cut.count
    // Or it would never come to anything: a queue waits a second after each failure.
    const goal = Math.min(500, ran.size + 24)
    await waitFor(() => ran.size >= goal, { what: 'the queue to go on' })
  }
  assert.ok(ended > 10, `${ended} connections were ended`)
  await waitFor(async () => (await left(db)).length === 0, { what: 'nothing to be left' })
})
