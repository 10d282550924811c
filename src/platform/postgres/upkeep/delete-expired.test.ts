import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase } from '../../../../tests/harness/database.ts'
import { waitFor } from '../../../../tests/harness/wait-for.ts'
import { deleteExpired } from './delete-expired.ts'

test('a stopped scan ends after its present stretch, and the next scan drops the rest', async () => {
  await using db = await openTestDatabase()
  const { sql } = db
  await sql.unsafe('create table scanned (past boolean, filler text)')
  // A page holds four of them, so there are sixteen stretches.
  await sql.unsafe(`insert into scanned select n % 2 = 0, repeat('x', 1800) from generate_series(1, 16000) as n`)
  const rows = async () => {
    const [row] = await sql<{ rows: number; past: number }[]>`
      select count(*)::int as rows, count(*) filter (where past)::int as past from scanned`
    return { ...row! }
  }
  const stopping = new AbortController()
  const scanning = deleteExpired(sql, 'scanned', sql`r.past`, { stopping: stopping.signal })
  await waitFor(async () => (await rows()).past < 8_000, { what: 'the first stretch' })
  stopping.abort()
  const stopped = await scanning
  assert.ok(stopped > 0 && stopped < 8_000, `${stopped} rows`)
  assert.equal(await deleteExpired(sql, 'scanned', sql`r.past`), 8_000 - stopped)
  assert.deepEqual(await rows(), { rows: 8_000, past: 0 })
})
