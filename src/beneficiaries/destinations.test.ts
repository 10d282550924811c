import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createMerchant } from '../../tests/harness/create-merchant.ts'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { type Account, archiveBeneficiary, createDestination } from '../../tests/harness/destinations.ts'
import type { Tenant } from '../values/caller.ts'
import { designateDestination } from './designate-destination.ts'
import { saveEntry } from './save-entry.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase()
})
after(() => db[Symbol.asyncDispose]())

const bank: Account = { iban: 'CI93CI0080111301134291200589' }
const wallet = (at: number): Account => ({ msisdn: `+22505${String(at).padStart(8, '0')}`, operator: 'mtn_ci' })

const payoutEntry = (tenant: Tenant, msisdn: string) => {
  const holder = { name: 'Awa', label: null, operator: 'mtn_ci', added_by: 'key:k' }
  return { ...tenant, ...holder, kind: 'payout', msisdn, iban: null } as const
}

async function newTenant(livemode = false): Promise<Tenant> {
  return { merchant_id: await createMerchant(db.sql, 'Boutique'), livemode }
}

async function create(tenant: Tenant, destination: Account): Promise<string> {
  const result = await createDestination(db.sql, tenant, destination)
  assert.ok(result.kind === 'done', JSON.stringify(result))
  return result.result.id
}

async function designated(tenant: Tenant): Promise<[id: string, at: string][]> {
  const rows = await db.sql<{ id: string; designated_at: Date }[]>`
    select id, designated_at
      from beneficiaries
     where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode} and designated_at is not null`
  return rows.map(({ id, designated_at }) => [id, designated_at.toISOString()])
}

test('one account created ten times at once is one destination', async () => {
  const tenant = await newTenant()
  for (const destination of [bank, wallet(1)]) {
    const ids = await Promise.all(Array.from({ length: 10 }, () => create(tenant, destination)))
    assert.equal(new Set(ids).size, 1)
  }
})

test('a number is one entry for payouts and another for settlements', async () => {
  const tenant = await newTenant()
  const settlement = await create(tenant, wallet(1))
  const { kind, beneficiary } = await saveEntry(db.sql, payoutEntry(tenant, '+2250500000001'))
  assert.deepEqual([kind, beneficiary.kind, beneficiary.id === settlement], ['created', 'payout', false])
})

test('of several simultaneous designations the last one remains', async () => {
  const tenant = await newTenant()
  const ids = await Promise.all(Array.from({ length: 6 }, (_, at) => create(tenant, wallet(at))))
  for (let round = 0; round < 10; round += 1) {
    const results = await Promise.all(ids.map((id) => designateDestination(db.sql, tenant, id, null)))
    assert.deepEqual(new Set(results.map(({ kind }) => kind)), new Set(['designated']))
    assert.equal((await designated(tenant)).length, 1)
  }
  for (const id of ids) {
    await designateDestination(db.sql, tenant, id, null)
    assert.deepEqual((await designated(tenant))[0]![0], id)
  }
})

test('designating a designated destination keeps its time, unless the call gives another', async () => {
  const tenant = await newTenant()
  const id = await create(tenant, bank)
  await designateDestination(db.sql, tenant, id, null)
  const before = await designated(tenant)
  await designateDestination(db.sql, tenant, id, null)
  assert.deepEqual(await designated(tenant), before)
  const since = new Date('2026-01-02T03:04:05Z')
  await designateDestination(db.sql, tenant, id, since)
  assert.deepEqual(await designated(tenant), [[id, since.toISOString()]])
})

test('a destination that lost its designation and gets it back begins a new cooling-off', async () => {
  const tenant = await newTenant()
  const [one, other] = [await create(tenant, bank), await create(tenant, wallet(1))]
  const since = new Date('2026-01-02T03:04:05Z')
  await designateDestination(db.sql, tenant, one, since)
  await designateDestination(db.sql, tenant, other, null)
  await designateDestination(db.sql, tenant, one, null)
  const [[id, at]] = (await designated(tenant)) as [[string, string]]
  assert.ok(id === one && at > since.toISOString())
})

test("only a merchant's own active destination can be designated; otherwise the previous one stays", async () => {
  const tenant = await newTenant()
  const live = { ...tenant, livemode: true }
  const mine = await create(tenant, bank)
  await designateDestination(db.sql, tenant, mine, null)
  const archived = await create(tenant, wallet(1))
  await archiveBeneficiary(db.sql, archived)
  const { beneficiary: payout } = await saveEntry(db.sql, payoutEntry(tenant, '+2250500000002'))
  const others = [await create(live, bank), await create(await newTenant(), bank)]
  for (const id of [archived, payout.id, ...others, crypto.randomUUID(), 'x', '']) {
    const result = await designateDestination(db.sql, tenant, id, null)
    assert.deepEqual(result, { kind: 'refused', code: 'resource_not_found' })
  }
  assert.equal((await designated(tenant))[0]![0], mine)
  assert.deepEqual(await designated(live), [])
})

test('an archived destination loses its designation, and can be created again', async () => {
  const tenant = await newTenant()
  const id = await create(tenant, bank)
  await designateDestination(db.sql, tenant, id, null)
  const archived = await archiveBeneficiary(db.sql, id)
  assert.deepEqual(await archiveBeneficiary(db.sql, id.toUpperCase()), archived)
  assert.deepEqual(await designated(tenant), [])
  assert.notEqual(await create(tenant, bank), id)
})

test('the database itself refuses two designated destinations', async () => {
  const tenant = await newTenant()
  await Promise.all([create(tenant, bank), create(tenant, wallet(1))])
  await assert.rejects(
    db.sql`update beneficiaries set designated_at = clock_now() where merchant_id = ${tenant.merchant_id}`,
    { code: '23505' },
  )
})

test('an unknown merchant is refused', async () => {
  const nobody = { ...(await newTenant()), merchant_id: 999_999 }
  assert.deepEqual(await createDestination(db.sql, nobody, bank), { kind: 'refused', code: 'resource_not_found' })
})
