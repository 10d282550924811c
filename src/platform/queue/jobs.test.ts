import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase } from '../../../tests/harness/database.ts'
import { defineJob, dropSpentJobs, enqueue } from './jobs.ts'

const job = defineJob<{ n: number }>('sample', 'money')

test('jobs exist if and only if what they follow from does, and wait for their time', async () => {
  await using db = await openTestDatabase()
  await db.sql.begin((tx) => enqueue(tx, job, [{ payload: { n: 1 } }, { payload: { n: 2 }, delay_ms: 60_000 }]))
  await db.sql
    .begin(async (tx) => {
      await enqueue(tx, job, [{ payload: { n: 3 } }])
      throw new Error('changed my mind')
    })
    .catch(() => {})
  const jobs = await db.sql`
    select p.payload, round(extract(epoch from p.run_at - p.created_at))::int as wait
      from graphile_worker._private_jobs p order by p.id`
  assert.deepEqual(
    [...jobs],
    [
      { payload: { n: 1 }, wait: 0 },
      { payload: { n: 2 }, wait: 60 },
    ],
  )
})

test('a job replaced while its worker held it is dropped once that worker is dead, and a waiting one is kept', async () => {
  await using db = await openTestDatabase()
  const add = () => db.sql.begin((tx) => enqueue(tx, job, [{ payload: { n: 1 }, key: 'the same' }]))
  await add()
  await db.sql`update graphile_worker._private_jobs set locked_by = 'dead', locked_at = now()`
  await add()
  assert.deepEqual([...(await dropSpentJobs(db.sql))], [], 'it may still be under way')
  await db.sql`select graphile_worker.force_unlock_workers(array['dead'])`
  assert.deepEqual([...(await dropSpentJobs(db.sql))], [{ task_identifier: 'sample', failed: 0 }])
  const left = await db.sql`select key, attempts from graphile_worker.jobs`
  assert.deepEqual([...left], [{ key: 'the same', attempts: 0 }])

  await db.sql`update graphile_worker._private_jobs set attempts = max_attempts, last_error = 'it never worked'`
  assert.deepEqual([...(await dropSpentJobs(db.sql))], [{ task_identifier: 'sample', failed: 1 }])
})
