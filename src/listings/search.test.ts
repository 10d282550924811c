import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTestDatabase } from '../../tests/harness/database.ts'
import { createPayments } from '../../tests/harness/listed-payments.ts'
import { newMerchant } from '../../tests/harness/merchant.ts'
import { createFillListings } from './fill-listings.ts'
import { search } from './search.ts'
import { readSearch } from './search-meanings.ts'

const db = await openTestDatabase()
after(() => db[Symbol.asyncDispose]())

test('a search text is read in every possible meaning', () => {
  const readings = (written: string) => {
    const { kinds_of_id, number, last4, amount, day } = readSearch(written)
    return [kinds_of_id.join(' '), number === null ? null : number.masked, last4, amount, day]
  }
  for (const [written, expected] of [
    ['txn_01m89', ['payment payout', null, null, null, null]],
    ['rfd_01m89', ['refund', null, null, null, null]],
    ['07 58 41 20 77', ['', '+225******2077', null, null, null]],
    ['+225 0758412077', ['', '+225******2077', null, null, null]],
    ['2077', ['', null, '2077', 2077, null]],
    ['0077', ['', null, '0077', null, null]],
    ['25 000 F CFA', ['', null, null, 25_000, null]],
    ['25\u202f000', ['', null, null, 25_000, null]],
    ['1.500.000', ['', null, null, 1_500_000, null]],
    ['2 5', ['', null, null, null, null]],
    ['2026-11-24', ['', null, null, null, '2026-11-24']],
    ['24/11/2026', ['', null, null, null, '2026-11-24']],
    ['31/02/2026', ['', null, null, null, null]],
    ['CMD-1042', ['', null, null, null, null]],
  ] as const) {
    assert.deepEqual(readings(written), expected, written)
  }
})

test('a search finds by id, reference, number, last digits, amount, day and the operator’s reference', async () => {
  const { sql } = db
  const tenant = { merchant_id: (await newMerchant(sql)).merchant_id, livemode: false }
  const other = { merchant_id: (await newMerchant(sql)).merchant_id, livemode: false }
  const day = new Date('2026-03-02T12:00:00.000Z')
  const of = { msisdn: '+2250758412077', amount: 25_000, created_at: day, merchant_reference: 'CMD-1042' }
  const [id] = await sql.begin((tx) => createPayments(tx, tenant, day, [of]))
  const [byReference] = await sql.begin((tx) =>
    createPayments(tx, tenant, new Date(), [{ merchant_reference: '2077', msisdn: null }]),
  )
  await sql.begin((tx) => createPayments(tx, other, day, [{ ...of, merchant_reference: '2077' }]))
  await sql`
    insert into operator_references (connector, reference, merchant_id, livemode, subject_id)
    values ('simulator', 'QUOTED-1', ${tenant.merchant_id}, false, ${id!})`
  const found = async (typed: string) =>
    (await search(sql, tenant, typed)).hits.map(({ found_by, operation }) => `${found_by} ${operation.id}`)
  const check = async () => {
    assert.deepEqual(await found(` ${id} `), [`id ${id}`])
    assert.deepEqual(await found('CMD-1042'), [`reference ${id}`])
    assert.deepEqual(await found('QUOTED-1'), [`operator_reference ${id}`])
    assert.deepEqual(await found('07 58 41 20 77'), [`number ${id}`])
    assert.deepEqual(await found('2077'), [`reference ${byReference}`, `last4 ${id}`])
    assert.deepEqual(await found('25 000'), [`amount ${id}`])
    assert.deepEqual(await found('02/03/2026'), [`day ${id}`])
    assert.deepEqual(await found(''), [])
    assert.deepEqual(await found('%'), [])
  }
  await check()
  await createFillListings({ sql, listed_after_ms: 0 })(new AbortController().signal)
  await check()
})
