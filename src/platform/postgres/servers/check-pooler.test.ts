import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEmptyDatabase } from '../../../../tests/harness/database.ts'
import { type PoolerOptions, startPooler } from '../../../../tests/harness/pooler.ts'
import { openDatabase } from '../database.ts'
import { checkConnection, DatabaseUnreachableError } from './check-connection.ts'
import { checkPooler } from './check-pooler.ts'

const refused: readonly (readonly [PoolerOptions, RegExp])[] = [
  [{ mode: 'transaction', settings: 'passed' }, /shares connections between transactions/],
  [{ mode: 'transaction', settings: 'passed', takes: 'first' }, /shares connections between transactions/],
  [{ mode: 'transaction', settings: 'dropped' }, /shares connections between transactions/],
  [{ mode: 'session', settings: 'dropped' }, /drops the settings of connections/],
  [{ mode: 'transaction', settings: 'refused' }, /refuses the settings of connections/],
  [{ mode: 'session', settings: 'refused' }, /refuses the settings of connections/],
]
for (const [options, why] of refused) {
  test(`a pooler like ${JSON.stringify(options)} is refused in one sentence`, async () => {
    await using empty = await createEmptyDatabase()
    await using pooler = await startPooler(empty.url, options)
    await assert.rejects(check(pooler.url), (error) => {
      assert.ok(error instanceof DatabaseUnreachableError)
      assert.match(error.message, /^The database at 127\.0\.0\.1:\d+ is behind a pooler that [^.]+\.$/)
      assert.match(error.message, why)
      return true
    })
  })
}

test('PostgreSQL itself, and a pooler in session mode that passes settings on, are taken', async () => {
  await using empty = await createEmptyDatabase()
  await check(empty.url)
  await using pooler = await startPooler(empty.url, { mode: 'session', settings: 'passed' })
  await check(pooler.url)
})

/** As a start does. */
async function check(url: string): Promise<void> {
  const sql = openDatabase({ url, connections: 1, name: 'start' })
  try {
    await checkConnection(sql, url)
    await checkPooler(url)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
