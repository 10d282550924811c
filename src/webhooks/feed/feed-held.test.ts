import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { openTestDatabase } from '../../../tests/harness/database.ts'
import { waitFor } from '../../../tests/harness/wait-for.ts'
import { watchFeed } from './feed-held.ts'

test('a transaction that holds the feed for ten seconds is told once, with its number, and the metric counts the seconds', async () => {
  await using db = await openTestDatabase()
  const told: [level: string, backend_xid: unknown][] = []
  const note = (level: string) => (fields: object) =>
    void told.push([level, (fields as { backend_xid: string }).backend_xid])
  const metrics = new Registry()
  let milliseconds = 0
  const log = { info: note('info'), warn: note('warn') } as Parameters<typeof watchFeed>[0]['log']
  const watch = watchFeed({ log, metrics, now: () => milliseconds })
  const seconds = async () => {
    await watch(db.sql)
    return Number(/^bandama_feed_held_seconds (\S+)$/m.exec(await metrics.metrics())![1])
  }
  const isHeldBy = async (number: string) => {
    milliseconds += 1_000
    const began = await seconds()
    const [row] = await db.sql<{ oldest: string }[]>`
      select pg_snapshot_xmin(pg_current_snapshot())::xid::text as oldest`
    return row!.oldest === number && began === 0
  }

  await db.sql.begin(async (tx) => {
    const [row] = await tx<{ number: string }[]>`select pg_current_xact_id()::xid::text as number`
    const { number } = row!
    // A later one ends, and the transactions of other tests that are older.
    await db.sql`select pg_current_xact_id()`
    await waitFor(() => isHeldBy(number), { what: 'this transaction to be the oldest' })
    // Those of other tests may have held it for longer than ten looks.
    told.length = 0
    milliseconds += 9_000
    assert.equal(await seconds(), 9)
    assert.deepEqual(told, [])
    for (const later of [1_000, 1_000, 30_000]) {
      milliseconds += later
      await seconds()
    }
    assert.equal(await seconds(), 41)
    assert.deepEqual(told, [['warn', number]])
  })
  milliseconds += 1_000
  await seconds()
  assert.deepEqual(
    told.map(([level]) => level),
    ['warn', 'info'],
  )
})
