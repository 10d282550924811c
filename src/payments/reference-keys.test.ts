import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabaseBefore } from '../../tests/harness/database.ts'
import { migrate } from '../platform/postgres/migrate.ts'

test('references of payments that were there already are compared like new ones, where none was taken twice', async () => {
  await using old = await createDatabaseBefore('0047_reference_keys.sql')
  const sql = old.open()
  const before: [id: string, merchant: number, reference: string | null][] = [
    ['txn_1', 1, 'plain'],
    ['txn_2', 1, 'e\u0301'],
    ['txn_3', 1, 'twice\u200d'],
    ['txn_4', 1, 'twice\u200b'],
    ['txn_5', 1, 'taken\u200b'],
    ['txn_6', 1, 'taken'],
    ['txn_7', 2, 'twice\u200d'],
    ['txn_8', 2, 'é'],
    ['txn_9', 2, null],
  ]
  for (const [id, merchant_id, reference] of before) {
    await sql`
      insert into payments (merchant_id, livemode, id, amount, amount_collected, fee_amount, net_amount, currency,
                            merchant_reference)
      values (${merchant_id}, false, ${id}, 100, 100, 0, 100, 'XOF', ${reference})`
  }
  await migrate(old.session_url)
  const rows = await sql<{ id: string; reference_key: string | null; merchant_reference: string | null }[]>`
    select id, reference_key, merchant_reference from payments order by id`
  assert.deepEqual(
    rows.map(({ reference_key }) => reference_key),
    [null, 'é', 'twice', null, null, null, 'twice', null, null],
  )
  assert.deepEqual(
    rows.map(({ merchant_reference }) => merchant_reference),
    before.map(([, , reference]) => reference),
  )
})
