import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestDatabase } from '../../../tests/harness/database.ts'
import { openDatabase } from './database.ts'
import { onOneMachine } from './on-one-machine.ts'

const one = [{ merchant_id: 1 }, { merchant_id: 1 }]
const two = [{ merchant_id: 1 }, { merchant_id: 2 }]

test('rows of keys are asked of their one merchant where merchants are spread, and of any where they are not', async () => {
  await using db = await openTestDatabase()
  const spread = openDatabase({ url: db.url, connections: 1, name: 'spread', sharded: true })
  const alone = openDatabase({ url: db.url, connections: 1, name: 'alone' })
  try {
    const found = async (sql: typeof spread, keys: typeof one) => {
      const rows = await sql<{ merchant_id: number }[]>`
        select m.merchant_id
          from (values (1::bigint), (2), (3)) as m(merchant_id)
         where true ${onOneMachine(sql, 'm', keys)}
         order by m.merchant_id`
      return rows.map(({ merchant_id }) => merchant_id)
    }
    assert.deepEqual(await found(spread, one), [1])
    assert.deepEqual(await found(spread, []), [])
    assert.deepEqual(await found(alone, one), [1, 2, 3])
    assert.deepEqual(await found(alone, two), [1, 2, 3])
    await assert.rejects(found(spread, two), /two merchants/)
    await spread.begin(async (tx) => assert.throws(() => onOneMachine(tx, 'm', two), /two merchants/))
  } finally {
    await Promise.all([spread.end(), alone.end()])
  }
})
