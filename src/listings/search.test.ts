import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { actor } from '../../tests/harness/actor.ts'
import { openTestDatabase } from '../../tests/harness/database.ts'
import { createPayments } from '../../tests/harness/listed-payments.ts'
import { newMerchant } from '../../tests/harness/merchant.ts'
import { createFillListings } from './fill-listings.ts'
import { operationKinds } from './listed-operation.ts'
import { search } from './search.ts'
import { type Narrowing, searchEverywhere } from './search-everywhere.ts'
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

test('a search across all merchants finds the same listed or not, in one mode, and says when it left some out', async () => {
  await using own = await openTestDatabase()
  const { sql } = own
  const [one, two] = [(await newMerchant(sql)).merchant_id, (await newMerchant(sql)).merchant_id]
  const day = new Date('2026-04-07T12:00:00.000Z')
  const of = { msisdn: '+2250758413099', amount: 31_000, created_at: day }
  const make = (merchant_id: number, livemode: boolean, changes: Parameters<typeof createPayments>[3]) =>
    sql.begin((tx) => createPayments(tx, { merchant_id, livemode }, day, changes))
  const first = (await make(one, false, [{ ...of, merchant_reference: 'BON-7' }]))[0]!
  const second = (await make(two, false, [{ ...of, amount: 32_000 }]))[0]!
  // More payments of one merchant with one end of a number than a search compares, and an older one with another whole number.
  const busy = { ...of, msisdn: '+2250158413098', created_at: new Date('2026-04-09T12:00:00.000Z'), amount: 500 }
  await make(
    one,
    false,
    Array.from({ length: 250 }, () => busy),
  )
  const older = (await make(one, false, [{ ...of, msisdn: '+2250758413098', amount: 33_000 }]))[0]!
  const another = (await make(two, false, [{ ...of, msisdn: '+2250758413098', amount: 33_000 }]))[0]!
  await make(two, true, [{ ...of, merchant_reference: 'BON-7' }])
  const find = async (typed: string, narrowed: Partial<Narrowing> = {}) => {
    const narrowing = { merchant_id: null, amount: null, day: null, ...narrowed }
    const sought = { livemode: false, typed, narrowing, kinds: operationKinds }
    const { hits, is_cut } = await searchEverywhere({ sql, reads: sql }, sought, actor('issa@example.ci'))
    return [...hits.map(({ operation }) => operation.id).toSorted(), ...(is_cut ? ['cut'] : [])]
  }
  const both = [first, second].toSorted()
  const check = async () => {
    assert.deepEqual(await find('0758413099'), both)
    assert.deepEqual(await find('3099'), both)
    assert.deepEqual(await find('31 000'), [first])
    assert.deepEqual(await find('BON-7'), [first])
    assert.deepEqual(await find('07/04/2026'), [first, second, older, another].toSorted())
    assert.deepEqual(await find(second), [second])
    assert.deepEqual(await find('3099', { merchant_id: two }), [second])
    assert.deepEqual(await find('3099', { amount: 31_000 }), [first])
    assert.deepEqual(await find('3099', { day: '2026-04-08' }), [])
  }
  await check()
  assert.deepEqual(await find('0758413098'), [older, another].toSorted(), 'each unlisted one is compared')
  await createFillListings({ sql, listed_after_ms: 0 })(new AbortController().signal)
  await check()
  assert.deepEqual(await find('0758413098'), [another, 'cut'], 'the older one of the busy merchant is not')
  for (const narrowed of [{ day: '2026-04-07' }, { merchant_id: one }])
    assert.ok((await find('0758413098', narrowed)).includes(older))
  const shown = await find('3098')
  assert.deepEqual([shown.length, shown.at(-1)], [11, 'cut'])
})
