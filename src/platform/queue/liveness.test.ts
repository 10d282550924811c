import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { createLog } from '../log.ts'
import { openDatabase } from '../postgres/database.ts'
import { defineJob, enqueue } from './jobs.ts'
import { keepAlive, WORKER_LOCKS } from './liveness.ts'

const log = createLog('silent', 'test')
const job = defineJob<object>('sample', 'money')

function start(db: TestDatabase, worker_id: string) {
  const liveness = keepAlive({ url: db.url, log })
  liveness.join(worker_id)
  return { ...liveness, [Symbol.asyncDispose]: () => liveness.stop() }
}

/** A job that this worker took so many seconds ago. */
async function addJobOf(db: TestDatabase, worker_id: string, seconds = 0): Promise<void> {
  await db.sql.begin(async (tx) => {
    enqueue(tx, job, [{ payload: {} }])
    await tx`
      update jobs
         set locked_by = ${worker_id}, locked_at = now() - make_interval(secs => ${seconds})
       where locked_by is null`
  })
}

/** A worker of another process, which said so many seconds ago that it lives. */
async function addWorker(db: TestDatabase, worker_id: string, seconds: number): Promise<void> {
  await db.sql`
    insert into workers (worker_id, beat_at)
    values (${worker_id}, now() - make_interval(secs => ${seconds}))
    on conflict (worker_id) do update set beat_at = excluded.beat_at`
}

/** The workers that hold a job. */
async function holders(db: TestDatabase): Promise<string[]> {
  const rows = await db.sql<{ locked_by: string }[]>`
    select locked_by from jobs where locked_by is not null order by locked_by`
  return rows.map(({ locked_by }) => locked_by)
}

// Each has a database of its own, and spends its time waiting for beats.
describe('a process that works', { concurrency: true }, () => {
  test('a worker without its connection is dead within seconds, one that keeps it only after 45 seconds', async () => {
    await using db = await openTestDatabase()
    const connection = openDatabase({ url: db.url, connections: 1, name: 'frozen' })
    await connection`select pg_advisory_lock(${WORKER_LOCKS}, hashtext('frozen'))`
    for (const id of ['judge', 'killed', 'frozen']) await addJobOf(db, id)
    await addJobOf(db, 'stray', 46)
    await addWorker(db, 'killed', 7)
    await addWorker(db, 'frozen', 20)
    await using _judge = start(db, 'judge')
    await waitFor(async () => !(await holders(db)).includes('killed'), { deadline_ms: 15_000 })
    assert.deepEqual(await holders(db), ['frozen', 'judge', 'stray'])

    await addWorker(db, 'frozen', 46)
    await waitFor(async () => !(await holders(db)).includes('frozen'), { deadline_ms: 5_000 })
    // One of whom nobody ever heard is looked for more rarely.
    await waitFor(async () => !(await holders(db)).includes('stray'), { deadline_ms: 20_000 })
    assert.deepEqual(await holders(db), ['judge'])
    await connection.end()
  })

  test('a worker whose connection is ended takes another and keeps its jobs', async () => {
    await using db = await openTestDatabase()
    await using _judge = start(db, 'judge')
    await using _other = start(db, 'other')
    await addJobOf(db, 'other')
    const lockers = () => db.sql<{ pid: number }[]>`
      select l.pid from pg_locks l
       where l.locktype = 'advisory' and l.classid = ${WORKER_LOCKS} and l.granted
         and l.database = (select oid from pg_database where datname = current_database())`
    let cut_at = '-infinity'
    const heard = () => db.sql`select from workers where beat_at > ${cut_at}::timestamptz`
    for (let round = 0; round < 4; round += 1) {
      // Both have said since the last cut that they live: who cannot for seconds is dead.
      await waitFor(async () => (await lockers()).length === 2 && (await heard()).length === 2, { deadline_ms: 20_000 })
      const [row] = await db.sql<{ now: string }[]>`select now()::text as now`
      cut_at = row!.now
      for (const { pid } of await lockers()) await db.sql`select pg_terminate_backend(${pid})`
    }
    await waitFor(async () => (await lockers()).length === 2, { deadline_ms: 5_000 })
    assert.deepEqual(await holders(db), ['other'])
  })

  test('a process that stops, and a worker that ends in one, leave no job behind', async () => {
    await using db = await openTestDatabase()
    await using process = start(db, 'first')
    process.join('second')
    await process.beat()
    for (const id of ['first', 'second']) await addJobOf(db, id)
    process.leave('second')
    await process.beat()
    assert.deepEqual(await holders(db), ['first'])
    await process.stop()
    assert.deepEqual(await holders(db), [])
    assert.equal((await db.sql`select worker_id from workers`).length, 0)
  })
})
