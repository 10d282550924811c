import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { createLog } from '../log.ts'
import { defineJob, enqueue } from './jobs.ts'
import { keepLeases } from './leases.ts'
import { runQueue } from './queue.ts'

const log = createLog('silent', 'test')
const job = defineJob<object>('sample', 'money')

/** Keeps the leases of this worker, as its process does. */
function keep({ sql }: TestDatabase, worker_id: string) {
  const leases = keepLeases({ sql, worker_ids: [worker_id], log })
  return { [Symbol.asyncDispose]: () => leases.stop() }
}

/** A worker whose job does what it is given to do. */
function work({ sql }: TestDatabase, worker_id: string, handle: () => Promise<void>) {
  const handlers = new Map([[job.name, handle]])
  const queue = runQueue({ sql, queue: job.queue, worker_id, handlers, concurrency: 1, ahead: 0, log })
  return { ...queue, [Symbol.asyncDispose]: queue.stop }
}

/** A job that this worker has in hand for so many seconds more. */
async function addJobOf(db: TestDatabase, worker_id: string, seconds: number): Promise<void> {
  await db.sql.begin(async (tx) => {
    enqueue(tx, job, [{ payload: {} }])
    await tx`
      update jobs
         set locked_by = ${worker_id}, locked_until = now() + make_interval(secs => ${seconds})
       where locked_by is null`
  })
}

/** The workers with a job in hand, and whether for long enough. */
async function holders({ sql }: TestDatabase): Promise<Record<string, boolean>> {
  const rows = await sql<{ locked_by: string; lasts: boolean }[]>`
    select locked_by, locked_until > now() + interval '15 seconds' as lasts
      from jobs where locked_by is not null`
  return Object.fromEntries(rows.map(({ locked_by, lasts }) => [locked_by, lasts]))
}

const expire = ({ sql }: TestDatabase) => sql`update jobs set locked_until = now() - interval '1 second'`

// Each has a database of its own, and spends its time waiting for turns.
describe('the lease of a job', { concurrency: true }, () => {
  test('is extended while its process lives, and frees the job of a worker that is gone when it runs out', async () => {
    await using db = await openTestDatabase()
    await addJobOf(db, 'ours', 3)
    await addJobOf(db, 'killed', 1)
    await addJobOf(db, 'elsewhere', 60)
    await using _ours = keep(db, 'ours')
    await waitFor(async () => !('killed' in (await holders(db))))
    assert.deepEqual(await holders(db), { ours: true, elsewhere: true })
    const [freed] = await db.sql`select locked_by, locked_until from jobs where locked_by is null`
    assert.deepEqual(freed, { locked_by: null, locked_until: null })
  })

  test('ran out while its worker was frozen: another runs the job, and what the first writes late does not count', async () => {
    await using db = await openTestDatabase()
    for (const ends of ['well', 'badly'] as const) {
      await db.sql.begin((tx) => enqueue(tx, job, [{ payload: {} }]))
      const late = Promise.withResolvers<void>()
      const second = Promise.withResolvers<void>()
      await using _frozen = work(db, 'frozen', () => late.promise)
      await waitFor(async () => 'frozen' in (await holders(db)))
      // It has no room for another job, so it does not take this one again.
      await expire(db)
      await using _leases = keep(db, 'other')
      await using _other = work(db, 'other', () => second.promise)
      await waitFor(async () => 'other' in (await holders(db)))
      if (ends === 'well') late.resolve()
      else late.reject(new Error('late'))
      // Longer than a queue takes to write an end.
      await sleep(400)
      assert.deepEqual(await holders(db), { other: true })
      second.resolve()
      await waitFor(async () => (await db.sql`select from jobs`).count === 0)
    }
  })

  test('ran out while its worker was frozen, and the worker took the job again: it runs once', async () => {
    await using db = await openTestDatabase()
    await db.sql.begin((tx) => enqueue(tx, job, [{ payload: {} }]))
    let runs = 0
    const end = Promise.withResolvers<void>()
    const handle = async () => {
      runs += 1
      await end.promise
    }
    const handlers = new Map([[job.name, handle]])
    const queue = runQueue({ sql: db.sql, queue: job.queue, worker_id: 'us', handlers, concurrency: 4, ahead: 0, log })
    await using _queue = { [Symbol.asyncDispose]: queue.stop }
    await waitFor(async () => 'us' in (await holders(db)))
    await db.sql`select free_jobs(array(select id from jobs))`
    await waitFor(async () => 'us' in (await holders(db)))
    end.resolve()
    await waitFor(async () => (await db.sql`select from jobs`).count === 0)
    assert.equal(runs, 1)
  })

  test('ran out while the database was away: the first process to come back leaves the others theirs', async () => {
    await using db = await openTestDatabase()
    const workers = ['one', 'other']
    for (const id of workers) await addJobOf(db, id, 25)
    await using _one = keep(db, 'one')
    await using _other = keep(db, 'other')
    await db.sql.begin(async (tx) => {
      await tx`lock table jobs in access exclusive mode`
      // A process that tries to extend meanwhile fails: a statement waits two seconds for a lock.
      for (let second = 0; second < 14; second += 1) await tx`select pg_sleep(1)`
      await tx`update jobs set locked_until = now() - interval '1 minute'`
    })
    const isKept = async () => Object.values(await holders(db)).filter(Boolean).length === workers.length
    await waitFor(isKept)
    assert.deepEqual(Object.keys(await holders(db)).sort(), workers)
  })
})
