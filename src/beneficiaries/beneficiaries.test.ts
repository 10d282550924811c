import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bringToBook } from '../../tests/harness/bring-to-book.ts'
import { createMerchant } from '../../tests/harness/create-merchant.ts'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { untilWaiting } from '../../tests/harness/hold.ts'
import type { Tenant } from '../values/caller.ts'
import { findActivePayoutBeneficiaries } from './find-beneficiaries.ts'
import { saveEntry } from './save-entry.ts'
import { insertEntries, type NewEntry } from './store.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
  for (let nth = 0; nth < MERCHANTS; nth += 1) {
    merchants.push(await createMerchant(db.sql, `Boutique ${nth}`))
  }
})
after(() => db[Symbol.asyncDispose]())

/** More merchants than the tests of this file use. */
const MERCHANTS = 40
const merchants: number[] = []
/** Returns a tenant that no other test uses. */
function newTenant(livemode = false): Tenant {
  return { merchant_id: merchants.pop()!, livemode }
}

function entry(tenant: Tenant, msisdn: string, more: Partial<NewEntry> = {}): Omit<NewEntry, 'id'> {
  return {
    ...tenant,
    kind: 'payout',
    operator: 'orange_ci',
    name: 'Awa',
    label: null,
    msisdn,
    iban: null,
    added_by: 'key:k',
    ...more,
  }
}

const save = (destination: Omit<NewEntry, 'id'>) => saveEntry(db.sql, destination)
const find = (keys: readonly (Tenant & { id: string })[]) =>
  db.sql.begin((tx) => findActivePayoutBeneficiaries(tx, keys))
const archive = (id: string) => db.sql`
  update beneficiaries set active = false, archived_at = clock_now() where id = ${id}`

/** Returns the n-th phone number of these tests. */
const number = (at: number) => `+22507${String(at).padStart(8, '0')}`

test('a number is added once, and its entry is returned unchanged afterwards', async () => {
  const tenant = newTenant()
  const known = await save(entry(tenant, number(5), { name: 'Known', label: 'Rent', operator: null }))
  const again = await save(entry(tenant, number(5), { name: 'Other', label: 'Other' }))
  assert.deepEqual([known.kind, again.kind], ['created', 'existing'])
  assert.deepEqual(again.beneficiary, known.beneficiary)
  const { name, label, operator, last4 } = known.beneficiary
  assert.deepEqual([name, label, operator, last4], ['Known', 'Rent', null, '0005'])
})

test('each merchant has a book of its own in each mode', async () => {
  const one = newTenant()
  const tenants = [one, { ...one, livemode: true }, newTenant()]
  const saved = await Promise.all(tenants.map((tenant) => save(entry(tenant, number(1)))))
  assert.equal(new Set(saved.map(({ beneficiary }) => beneficiary.id)).size, 3)
  assert.deepEqual(
    saved.map(({ kind, beneficiary: { merchant_id, livemode } }) => ({ kind, merchant_id, livemode })),
    tenants.map((tenant) => ({ kind: 'created', ...tenant })),
  )
})

test('transactions that add the same numbers at once in opposite orders never deadlock, and agree on the entries', async () => {
  const tenant = newTenant()
  const numbers = Array.from({ length: 500 }, (_, at) => ({ ...tenant, msisdn: number(at) }))
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  // A third transaction holds a number in the middle, so that the first one writes some entries before it meets the second.
  const middle = db.sql.begin(async (tx) => {
    insertEntries(tx, [{ ...entry(tenant, number(250)), id: crypto.randomUUID() }])
    await tx`select`
    held.resolve()
    await release.promise
    throw new Error('given up')
  })
  await held.promise
  const calls = Promise.all([bringToBook(db.sql, numbers), bringToBook(db.sql, numbers.toReversed())])
  await untilWaiting(db.sql, { count: 2 })
  release.resolve()
  await assert.rejects(middle, /given up/)
  const [forwards, backwards] = await calls
  assert.deepEqual(forwards.ids, backwards.ids.toReversed())
  assert.equal(forwards.created + backwards.created, 500)
})

test('a call that is rolled back leaves no entry, and the call that waited for it adds it', async () => {
  const tenant = newTenant()
  const saved = Promise.withResolvers<void>()
  const giveUp = Promise.withResolvers<void>()
  const first = db.sql.begin(async (tx) => {
    insertEntries(tx, [{ ...entry(tenant, number(1), { name: 'First' }), id: crypto.randomUUID() }])
    await tx`select`
    saved.resolve()
    await giveUp.promise
    throw new Error('given up')
  })
  await saved.promise
  const second = save(entry(tenant, number(1), { name: 'Second' }))
  await untilWaiting(db.sql)
  giveUp.resolve()
  await assert.rejects(first, /given up/)
  const { kind, beneficiary } = await second
  assert.deepEqual([kind, beneficiary.name], ['created', 'Second'])
})

test('of simultaneous calls that add one number, one adds it and the others find it', async () => {
  const tenant = newTenant()
  const saved = await Promise.all(Array.from({ length: 20 }, () => save(entry(tenant, number(1)))))
  assert.equal(saved.filter(({ kind }) => kind === 'created').length, 1)
  assert.equal(new Set(saved.map(({ beneficiary }) => beneficiary.id)).size, 1)
})

test('the number of an archived entry can be added again under another id', async () => {
  const tenant = newTenant()
  const before = await save(entry(tenant, number(1)))
  await archive(before.beneficiary.id)
  const after = await save(entry(tenant, number(1)))
  assert.equal(after.kind, 'created')
  assert.notEqual(after.beneficiary.id, before.beneficiary.id)
})

test('adding a number while its entry is archived always gives an existing entry', async () => {
  const tenant = newTenant()
  for (let round = 0; round < 50; round += 1) {
    const { beneficiary: before } = await save(entry(tenant, number(1)))
    const [saved] = await Promise.all([save(entry(tenant, number(1))), archive(before.id)])
    assert.ok(saved.kind === 'created' || saved.beneficiary.id === before.id)
  }
})

test('a payout finds only active entries of its own book', async () => {
  const tenant = newTenant()
  const other = newTenant()
  const created = async (destination: Omit<NewEntry, 'id'>) => (await save(destination)).beneficiary
  const mine = await created(entry(tenant, number(1), { label: 'Rent' }))
  const archived = await created(entry(tenant, number(2)))
  const theirs = await created(entry(other, number(1)))
  await archive(archived.id)
  const [settlement] = await db.sql<{ id: string }[]>`
    insert into beneficiaries (merchant_id, livemode, kind, name, operator, msisdn, last4)
    values (${tenant.merchant_id}, false, 'settlement', 'Awa', 'orange_ci', '+2250700000003', '0003')
    returning id`
  const none = [archived.id, theirs.id, settlement!.id, crypto.randomUUID(), '', 'x', `${mine.id}0`, "'; --", 'é']
  const asked = [mine.id.toUpperCase(), mine.id, ...none].map((id) => ({ ...tenant, id }))
  const found = await find([...asked, { ...tenant, livemode: true, id: mine.id }])
  assert.deepEqual(
    found.map(({ id, msisdn, operator, name, label }) => ({ id, msisdn, operator, name, label })),
    [{ id: mine.id, msisdn: '+2250700000001', operator: 'orange_ci', name: 'Awa', label: 'Rent' }],
  )
})

/** Rows that a mistake could write. The database must refuse each. */
const mistakes: [why: string, row: Record<string, unknown>][] = [
  ['no destination', { msisdn: null }],
  ['two destinations', { kind: 'settlement', iban: 'CI93CI0080111301134291200589' }],
  ['an IBAN to pay out to', { msisdn: null, iban: 'CI93CI0080111301134291200589', last4: '0589' }],
  ['the end of another number', { last4: '0002' }],
  ['a number that is not normalised', { msisdn: '0700000001' }],
  ['archived and active', { archived_at: '2026-01-01T00:00:00Z' }],
  ['neither archived nor active', { active: false }],
  ['a designated payout destination', { designated_at: '2026-01-01T00:00:00Z' }],
  ['a settlement number without an operator', { kind: 'settlement', operator: null }],
  ['another kind', { kind: 'gift' }],
]
/** Inserts a row with these columns without our own code. */
function insertRow(row: object) {
  const columns = db.sql(Object.keys(row))
  return db.sql`
    insert into beneficiaries (${columns})
    select ${columns} from json_populate_record(null::beneficiaries, ${db.sql.json(row)})`
}

for (const [why, change] of mistakes) {
  test(`the database itself refuses ${why}`, async () => {
    const good = { kind: 'payout', name: 'Awa', operator: 'orange_ci', msisdn: '+2250700000001', last4: '0001' }
    const row = { ...newTenant(), ...good, ...change }
    await assert.rejects(insertRow(row), { code: '23514' })
    await insertRow({ ...newTenant(), ...good })
  })
}
