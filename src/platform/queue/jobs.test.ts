import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase } from '../../../tests/harness/database.ts'
import { ATTEMPTS_MAX, defineJob, dropSpentJobs, enqueue, onJobs } from './jobs.ts'

const job = defineJob<{ n: number }>('sample', 'money')

test('jobs exist only if their transaction committed, and wait for their time', async () => {
  await using db = await openTestDatabase()
  await db.sql.begin((tx) => enqueue(tx, job, [{ payload: { n: 1 } }, { payload: { n: 2 }, delay_ms: 60_000 }]))
  await db.sql
    .begin(async (tx) => {
      enqueue(tx, job, [{ payload: { n: 3 } }])
      throw new Error('changed my mind')
    })
    .catch(() => {})
  const jobs = await db.sql`
    select payload, round(extract(epoch from run_at - now()))::int as wait
      from jobs order by run_at`
  assert.deepEqual(
    [...jobs],
    [
      { payload: { n: 1 }, wait: 0 },
      { payload: { n: 2 }, wait: 60 },
    ],
  )
})

test('a waiting job with the same key is replaced, and a running one is not', async () => {
  await using db = await openTestDatabase()
  const add = (...ns: number[]) =>
    db.sql.begin((tx) =>
      enqueue(
        tx,
        job,
        ns.map((n) => ({ payload: { n }, key: 'the same' })),
      ),
    )
  const jobs = async () => [...(await db.sql`select payload ->> 'n' as n, locked_by from jobs order by n`)]
  await add(1, 2)
  await add(3)
  assert.deepEqual(await jobs(), [{ n: '3', locked_by: null }])
  await db.sql`update jobs set locked_by = 'one', locked_until = now() + interval '30 seconds'`
  await add(4)
  await db.sql`update jobs set locked_by = 'two', locked_until = now() + interval '30 seconds' where locked_by is null`
  await add(5)
  assert.deepEqual(await jobs(), [
    { n: '3', locked_by: 'one' },
    { n: '4', locked_by: 'two' },
    { n: '5', locked_by: null },
  ])
  // A job that its worker leaves is not needed beside the waiting one with the same key.
  await db.sql`select free_jobs(array(select id from jobs where locked_by is not null))`
  assert.deepEqual(await jobs(), [{ n: '5', locked_by: null }])
  await db.sql`update jobs set locked_by = 'one', locked_until = now() + interval '30 seconds'`
  await add(6)
  await db.sql`update jobs set locked_by = 'one', locked_until = now() + interval '30 seconds'`
  await db.sql`select free_jobs(array(select id from jobs))`
  assert.equal((await jobs()).length, 1, 'of two in hand, one')
})

test('a job tried too often is dropped and counted; running and waiting ones are kept', async () => {
  await using db = await openTestDatabase()
  await db.sql.begin((tx) => enqueue(tx, job, [{ payload: { n: 1 } }, { payload: { n: 2 } }, { payload: { n: 3 } }]))
  await db.sql`update jobs set attempts = ${ATTEMPTS_MAX} where (payload ->> 'n')::int < 3`
  await db.sql`update jobs set locked_by = 'us', locked_until = now() + interval '30 seconds' where payload ->> 'n' = '1'`
  assert.deepEqual([...(await dropSpentJobs(db.sql))], [{ kind: 'sample', failed: 1 }])
  const left = await db.sql`select payload ->> 'n' as n from jobs order by 1`
  assert.deepEqual([...left], [{ n: '1' }, { n: '3' }])
})

test('the queues of this process learn of jobs after their commit, once for each transaction, and of none that was rolled back', async () => {
  await using db = await openTestDatabase()
  let told = 0
  const forget = onJobs('money', () => {
    told += 1
  })
  await db.sql.begin((tx) => {
    for (let n = 1; n <= 3; n += 1) enqueue(tx, job, [{ payload: { n } }])
    assert.equal(told, 0)
  })
  assert.equal(told, 1)
  const undone = db.sql.begin((tx) => {
    enqueue(tx, job, [{ payload: { n: 4 } }])
    throw new Error('undone')
  })
  await assert.rejects(undone, { message: 'undone' })
  forget()
  await db.sql.begin((tx) => enqueue(tx, job, [{ payload: { n: 5 } }]))
  assert.equal(told, 1)
})
