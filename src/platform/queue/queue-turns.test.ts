import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { createLog } from '../log.ts'
import { openDatabase } from '../postgres/database.ts'
import { defineJob, enqueue } from './jobs.ts'
import { runQueue } from './queue.ts'

const log = createLog('silent', 'test')
const job = defineJob<{ owner: string }>('sample', 'money')

/** A queue whose jobs end when the test says so, one of an owner after the other. */
function startQueue(db: TestDatabase, { concurrency, ahead }: { concurrency: number; ahead: number }) {
  const sql = openDatabase({ url: db.url, connections: 3, name: 'queue' })
  const begun: string[] = []
  const ends: { owner: string; end: () => void }[] = []
  const handlers = new Map([
    [
      job.name,
      (payload: unknown) => {
        const { owner } = payload as { owner: string }
        begun.push(owner)
        return new Promise<void>((end) => void ends.push({ owner, end }))
      },
    ],
  ])
  const queue = runQueue({ sql, queue: job.queue, worker_id: 'us', handlers, concurrency, ahead, log })
  const count = (owner: string) => begun.filter((one) => one === owner).length
  return {
    begun,
    count,
    /** Ends one job of an owner that runs. */
    endOne(owner: string) {
      const at = ends.findIndex((one) => one.owner === owner)
      ends.splice(at, 1)[0]!.end()
    },
    async [Symbol.asyncDispose]() {
      const stopped = queue.stop()
      for (const { end } of ends) end()
      await stopped
      await sql.end({ timeout: 1 })
    },
  }
}

async function add(
  db: TestDatabase,
  owner: string,
  count: number,
  { partition_key = '', weight = 1 }: { partition_key?: string; weight?: number } = {},
): Promise<void> {
  const jobs = Array.from({ length: count }, () => ({ payload: { owner }, owner, partition_key, weight }))
  await db.sql.begin((tx) => enqueue(tx, job, jobs))
}

test('an owner runs at most half of a partition, so that the next owner begins beside twelve thousand endless jobs', async () => {
  await using db = await openTestDatabase()
  await add(db, 'a', 12_000)
  await using queue = startQueue(db, { concurrency: 12, ahead: 4 })
  await waitFor(() => queue.count('a') === 8)
  await add(db, 'b', 1)
  await waitFor(() => queue.count('b') === 1)
  assert.equal(queue.count('a'), 8)
})

test('jobs that carry many operations fill the share of their owner sooner, and the next follows when one ends', async () => {
  await using db = await openTestDatabase()
  await add(db, 'a', 20, { weight: 200 })
  await add(db, '', 3, { weight: 200 })
  await using queue = startQueue(db, { concurrency: 50, ahead: 10 })
  await waitFor(() => queue.count('') === 3)
  assert.equal(queue.count('a'), 2)
  for (let ended = 1; ended <= 4; ended += 1) {
    queue.endOne('a')
    await waitFor(() => queue.count('a') === 2 + ended)
  }
})

test('owners take turns: two with many due jobs have equally many running', async () => {
  await using db = await openTestDatabase()
  await add(db, 'a', 200)
  await using queue = startQueue(db, { concurrency: 4, ahead: 8 })
  await waitFor(() => queue.begun.length === 4)
  await add(db, 'b', 200)
  const taken = () => db.sql<object[]>`select from jobs where owner = 'b' and locked_by is not null`
  await waitFor(async () => (await taken()).length > 0)
  for (let ended = 0; ended < 2; ended += 1) {
    queue.endOne('a')
    await waitFor(() => queue.count('b') === ended + 1)
  }
  queue.endOne('b')
  await waitFor(() => queue.count('b') === 3)
  queue.endOne('a')
  await waitFor(() => queue.count('a') === 5)
})

test('jobs without an owner may fill the whole partition, and no partition waits for another', async () => {
  await using db = await openTestDatabase()
  await add(db, '', 50)
  await using queue = startQueue(db, { concurrency: 6, ahead: 2 })
  await waitFor(() => queue.count('') === 6)
  await add(db, 'b', 3, { partition_key: 'another' })
  await waitFor(() => queue.count('b') === 3)
})

test('every job of a thousand owners runs once', async () => {
  await using db = await openTestDatabase()
  const owners = Array.from({ length: 1_000 }, (_, at) => `owner-${at}`)
  await db.sql.begin((tx) =>
    enqueue(
      tx,
      job,
      owners.map((owner) => ({ payload: { owner }, owner })),
    ),
  )
  await using queue = startQueue(db, { concurrency: 2_000, ahead: 0 })
  await waitFor(() => queue.begun.length >= 1_000)
  assert.deepEqual(new Set(queue.begun), new Set(owners))
})
