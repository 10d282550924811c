import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../../../tests/harness/database.ts'
import { openDatabase } from '../database.ts'
import { PostgresError } from '../failures.ts'
import { createReplicaReads } from './replica-reads.ts'

const NOBODY = 'postgres://postgres@127.0.0.1:1/none'

function openReads(db: TestDatabase, url: string) {
  const replica = openDatabase({ url, connections: 1, name: 'replica' })
  return {
    reads: createReplicaReads({ primary: db.sql, replica, log: null }),
    [Symbol.asyncDispose]: () => replica.end({ timeout: 1 }),
  }
}

test('a replica answers reads, and the primary answers what a replica cannot: the same rows', async () => {
  await using db = await openTestDatabase()
  for (const [url, answering] of [
    [db.url, 'replica'],
    [NOBODY, 'test'],
  ] as const) {
    await using standing = openReads(db, url)
    const { reads } = standing
    const more = reads`and n < ${4}`
    for (let time = 0; time < 2; time += 1) {
      const rows = await reads<{ n: number; by: string }[]>`
        select ${reads(['n'])}, current_setting('application_name') as by from generate_series(1, 9) n where n > ${2} ${more}`
      assert.deepEqual([...rows, rows.count], [{ n: 3, by: answering }, 1])
    }
  }
})

test("a wrong statement gets the primary's error", async () => {
  await using db = await openTestDatabase()
  for (const url of [db.url, NOBODY]) {
    await using standing = openReads(db, url)
    const refused = standing.reads`select from nowhere`.then()
    await assert.rejects(refused, (error) => error instanceof PostgresError && error.code === '42P01')
  }
})
