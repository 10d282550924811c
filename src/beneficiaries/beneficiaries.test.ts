import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { untilWaiting } from '../../tests/harness/hold.ts'
import type { Tenant } from '../values/caller.ts'
import { Msisdn } from '../values/msisdn.ts'
import { findActivePayoutBeneficiaries } from './find-beneficiaries.ts'
import { type PayoutEntry, saveBeneficiaries } from './save-beneficiaries.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db[Symbol.asyncDispose]())

let merchants = 0
/** A tenant that no other test uses. */
function newTenant(livemode = false): Tenant {
  merchants += 1
  return { merchant_id: merchants, livemode }
}

function entry(tenant: Tenant, number: string, more: Partial<PayoutEntry> = {}): PayoutEntry {
  return { ...tenant, msisdn: Msisdn.parse(number)!, operator: 'orange_ci', name: 'Awa', label: null, ...more }
}

const save = (entries: readonly PayoutEntry[]) => db.sql.begin((tx) => saveBeneficiaries(tx, entries))
const find = (keys: readonly (Tenant & { id: string })[]) =>
  db.sql.begin((tx) => findActivePayoutBeneficiaries(tx, keys))
const archive = (id: string) => db.sql`
  update beneficiaries set active = false, archived_at = clock_now() where id = ${id}`

/** The n-th number of the plan that these tests use. */
const number = (at: number) => `07${String(at).padStart(8, '0')}`

test('entries are answered in the order in which they were asked, created or as they stand', async () => {
  const tenant = newTenant()
  const [known] = await save([entry(tenant, number(5), { name: 'Known', label: 'Rent', operator: 'wave_ci' })])
  const saved = await save([
    entry(tenant, number(9)),
    entry(tenant, number(5), { name: 'Other', label: 'Other' }),
    entry(tenant, number(1), { operator: null }),
  ])
  assert.deepEqual(
    saved.map(({ created, name, label, operator, last4 }) => [created, name, label, operator, last4]),
    [
      [true, 'Awa', null, 'orange_ci', '0009'],
      [false, 'Known', 'Rent', 'wave_ci', '0005'],
      [true, 'Awa', null, null, '0001'],
    ],
  )
  assert.equal(saved[1]!.id, known!.id)
})

test('a number that comes twice in one call is one entry, created by the first', async () => {
  const tenant = newTenant()
  const writings = ['0700000012', '+225 07 00 00 00 12', '002250700000012']
  const saved = await save(writings.map((written, at) => entry(tenant, written, { name: `Name ${at}` })))
  assert.deepEqual(
    saved.map(({ id, created, name }) => [id === saved[0]!.id, created, name]),
    [
      [true, true, 'Name 0'],
      [true, false, 'Name 0'],
      [true, false, 'Name 0'],
    ],
  )
})

test('merchants and modes have books of their own, also in one call', async () => {
  const one = newTenant()
  const tenants = [one, { ...one, livemode: true }, newTenant()]
  const saved = await save(tenants.map((tenant) => entry(tenant, number(1))))
  assert.equal(new Set(saved.map(({ id }) => id)).size, 3)
  assert.deepEqual(
    saved.map(({ merchant_id, livemode, created }) => ({ merchant_id, livemode, created })),
    tenants.map((tenant) => ({ ...tenant, created: true })),
  )
})

test('nothing to save is nothing to do', async () => {
  assert.deepEqual(await save([]), [])
  assert.deepEqual(await find([]), [])
})

test('calls that bring the same numbers at once, in opposite orders, wait for one another and agree', async () => {
  const tenant = newTenant()
  const entries = Array.from({ length: 500 }, (_, at) => entry(tenant, number(at)))
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  // Somebody holds a number in the middle, so that both calls have written some entries before they meet the other's.
  const middle = db.sql.begin(async (tx) => {
    await saveBeneficiaries(tx, [entries[250]!])
    held.resolve()
    await release.promise
    throw new Error('given up')
  })
  await held.promise
  const calls = Promise.all([save(entries), save(entries.toReversed())])
  await untilWaiting(db.sql, { count: 2 })
  release.resolve()
  await assert.rejects(middle, /given up/)
  const [forwards, backwards] = await calls
  const ids = (saved: readonly { id: string }[]) => saved.map(({ id }) => id)
  assert.deepEqual(ids(forwards), ids(backwards.toReversed()))
  assert.equal([...forwards, ...backwards].filter(({ created }) => created).length, 500)
})

test('a call that is given up leaves no entry, and the one that waited for it creates it', async () => {
  const tenant = newTenant()
  const saved = Promise.withResolvers<void>()
  const giveUp = Promise.withResolvers<void>()
  const first = db.sql.begin(async (tx) => {
    await saveBeneficiaries(tx, [entry(tenant, number(1), { name: 'First' })])
    saved.resolve()
    await giveUp.promise
    throw new Error('given up')
  })
  await saved.promise
  const second = save([entry(tenant, number(1), { name: 'Second' })])
  await untilWaiting(db.sql)
  giveUp.resolve()
  await assert.rejects(first, /given up/)
  assert.deepEqual(
    (await second).map(({ created, name }) => [created, name]),
    [[true, 'Second']],
  )
})

test('the number of an archived entry is added anew, under another id', async () => {
  const tenant = newTenant()
  const [before] = await save([entry(tenant, number(1))])
  await archive(before!.id)
  const [after] = await save([entry(tenant, number(1))])
  assert.equal(after!.created, true)
  assert.notEqual(after!.id, before!.id)
})

test('archiving while the same number is brought gives an entry that is there, every time', async () => {
  const tenant = newTenant()
  for (let round = 0; round < 50; round += 1) {
    const [before] = await save([entry(tenant, number(1))])
    const [saved] = await Promise.all([save([entry(tenant, number(1))]), archive(before!.id)])
    assert.ok(saved[0]!.created || saved[0]!.id === before!.id)
  }
})

test('a payout finds only active entries of its own book', async () => {
  const tenant = newTenant()
  const other = newTenant()
  const [mine, archived, theirs] = await save([
    entry(tenant, number(1), { label: 'Rent' }),
    entry(tenant, number(2)),
    entry(other, number(1)),
  ])
  await archive(archived!.id)
  const [settlement] = await db.sql<{ id: string }[]>`
    insert into beneficiaries (merchant_id, livemode, kind, name, operator, msisdn, last4)
    values (${tenant.merchant_id}, false, 'settlement', 'Awa', 'orange_ci', '+2250700000003', '0003')
    returning id`
  const none = [archived!.id, theirs!.id, settlement!.id, crypto.randomUUID(), '', 'x', `${mine!.id}0`, "'; --", 'é']
  const asked = [mine!.id.toUpperCase(), mine!.id, ...none].map((id) => ({ ...tenant, id }))
  const found = await find([...asked, { ...tenant, livemode: true, id: mine!.id }])
  assert.deepEqual(
    found.map(({ id, msisdn, operator, name, label }) => ({ id, msisdn, operator, name, label })),
    [{ id: mine!.id, msisdn: '+2250700000001', operator: 'orange_ci', name: 'Awa', label: 'Rent' }],
  )
})

/** Rows that a mistake could write. Each must be refused by the database. */
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
/** A row with these columns, past our own code. */
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
