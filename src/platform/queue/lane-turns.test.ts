import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../tests/harness/database.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { createLog } from '../log.ts'
import { openDatabase } from '../postgres/database.ts'
import { defineJob, enqueue } from './jobs.ts'
import { runLane } from './lane.ts'

const log = createLog('silent', 'test')
const job = defineJob<{ owner: string }>('sample', 'money')

/** A lane whose jobs end when the test says so, one of an owner after the other. */
function startLane(db: TestDatabase, { concurrency, ahead }: { concurrency: number; ahead: number }) {
  const sql = openDatabase({ url: db.url, connections: 3, name: 'lane' })
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
  const lane = runLane({ sql, lane: job.lane, worker_id: 'us', handlers, concurrency, ahead, log })
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
      const stopped = lane.stop()
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
  { line = '', weight = 1 }: { line?: string; weight?: number } = {},
): Promise<void> {
  const jobs = Array.from({ length: count }, () => ({ payload: { owner }, owner, line, weight }))
  await db.sql.begin((tx) => enqueue(tx, job, jobs))
}

const soon = { deadline_ms: 10_000 }

test('an owner has half of a line in hand, so that the next one begins although twelve thousand are due and none ends', async () => {
  await using db = await openTestDatabase()
  await add(db, 'a', 12_000)
  await using lane = startLane(db, { concurrency: 12, ahead: 4 })
  await waitFor(() => lane.count('a') === 8, soon)
  await add(db, 'b', 1)
  await waitFor(() => lane.count('b') === 1, soon)
  assert.equal(lane.count('a'), 8)
})

test('jobs that carry many operations fill the share of their owner sooner, and the next follows when one ends', async () => {
  await using db = await openTestDatabase()
  await add(db, 'a', 20, { weight: 200 })
  await add(db, '', 3, { weight: 200 })
  await using lane = startLane(db, { concurrency: 50, ahead: 10 })
  await waitFor(() => lane.count('') === 3, soon)
  assert.equal(lane.count('a'), 2)
  for (let ended = 1; ended <= 4; ended += 1) {
    lane.endOne('a')
    await waitFor(() => lane.count('a') === 2 + ended, soon)
  }
})

test('owners take turns: of two with many due each has as many running as the other', async () => {
  await using db = await openTestDatabase()
  await add(db, 'a', 200)
  await using lane = startLane(db, { concurrency: 4, ahead: 8 })
  await waitFor(() => lane.begun.length === 4, soon)
  await add(db, 'b', 200)
  const taken = () => db.sql<object[]>`select from jobs where owner = 'b' and locked_by is not null`
  await waitFor(async () => (await taken()).length > 0, soon)
  for (let ended = 0; ended < 2; ended += 1) {
    lane.endOne('a')
    await waitFor(() => lane.count('b') === ended + 1, soon)
  }
  lane.endOne('b')
  await waitFor(() => lane.count('b') === 3, soon)
  lane.endOne('a')
  await waitFor(() => lane.count('a') === 5, soon)
})

test('jobs of nobody in particular have the whole line, and no line waits for another', async () => {
  await using db = await openTestDatabase()
  await add(db, '', 50)
  await using lane = startLane(db, { concurrency: 6, ahead: 2 })
  await waitFor(() => lane.count('') === 6, soon)
  await add(db, 'b', 3, { line: 'another' })
  await waitFor(() => lane.count('b') === 3, soon)
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
  await using lane = startLane(db, { concurrency: 2_000, ahead: 0 })
  await waitFor(() => lane.begun.length >= 1_000, soon)
  assert.deepEqual(new Set(lane.begun), new Set(owners))
})
