import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { confirmKey, createKey, setAllowedAddresses } from '../../tests/harness/keys.ts'
import { newMerchant } from '../../tests/harness/merchant.ts'
import { violatedConstraint } from '../platform/postgres/failures.ts'
import type { Actor } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import { type AddressBlock, parseAddressBlock } from './address-blocks.ts'
import { findKeyOf } from './find-keys.ts'
import { keyStatus } from './states.ts'

// A second person confirmed a key with its addresses: it works from no other address without them. Tried over every pair of lists.

const by = (person: string): Actor => ({ person, door: 'console', from: '192.0.2.10', step_up_id: null })
const [maker, second, widener] = [by('aya@example.ci'), by('koffi@example.ci'), by('awa@example.ci')]

let db: TestDatabase
let tenant: Tenant
before(async () => {
  db = await openTestDatabase()
  tenant = { merchant_id: (await newMerchant(db.sql)).merchant_id, livemode: true }
})
after(() => db[Symbol.asyncDispose]())

const lists = [
  [],
  ['192.0.2.7'],
  ['192.0.2.0/24'],
  ['192.0.2.7', '198.51.100.1'],
  ['198.51.100.0/25', '192.0.2.0/28'],
  ['2001:db8::/32'],
  ['0.0.0.0/0'],
] as const

/** The same as a set of numbers: every address that one of the lists speaks of, and one of which none does. */
const addresses = [
  '192.0.2.7',
  '192.0.2.200',
  '198.51.100.1',
  '198.51.100.9',
  '2001:db8::1',
  '203.0.113.1',
  '2001:db9::1',
]
const blocksOf = (texts: readonly string[]) => texts.map((text) => parseAddressBlock(text)!) as AddressBlock[]
const admits = async (texts: readonly string[], address: string) => {
  if (texts.length === 0) return true
  const [row] = await db.sql`select ${address}::inet <<= any(${texts as string[]}::text[]::cidr[]) as inside`
  return Boolean(row!.inside)
}

async function confirmed(texts: readonly string[]): Promise<string> {
  const allowed_addresses = blocksOf(texts)
  const wanted = {
    key_prefix: 'bdm',
    scope: 'payout',
    name: 'Paie',
    needs_confirmation: true,
    allowed_addresses,
  } as const
  const { key_id } = await createKey(db.sql, tenant, wanted, maker)
  assert.deepEqual(await confirmKey(db.sql, tenant, key_id, second), { kind: 'changed' })
  return key_id
}

const status = async (key_id: string) => keyStatus((await findKeyOf(db.sql, tenant, key_id))!)

for (const before of lists) {
  for (const after of lists) {
    test(`a confirmed key of [${before}] that may then be used from [${after}]`, async () => {
      const key_id = await confirmed(before)
      let wider = false
      for (const address of addresses)
        if ((await admits(after, address)) && !(await admits(before, address))) wider = true
      const done = await setAllowedAddresses(db.sql, key_id, blocksOf(after), widener, tenant)
      assert.deepEqual(done, { kind: 'changed', waits: wider })
      assert.equal(await status(key_id), wider ? 'to_confirm' : 'active')
      if (!wider) return
      for (const person of [maker, widener])
        assert.deepEqual(await confirmKey(db.sql, tenant, key_id, person), { kind: 'refused', code: 'same_person' })
      assert.deepEqual(await confirmKey(db.sql, tenant, key_id, second), { kind: 'changed' })
      assert.equal(await status(key_id), 'active')
    })
  }
}

test('a key that waits, widened by somebody, is not confirmed by them', async () => {
  const wanted = { key_prefix: 'bdm', scope: 'payout', name: 'Paie', needs_confirmation: true } as const
  const { key_id } = await createKey(db.sql, tenant, { ...wanted, allowed_addresses: blocksOf(['192.0.2.7']) }, maker)
  await setAllowedAddresses(db.sql, key_id, [], second, tenant)
  assert.deepEqual(await confirmKey(db.sql, tenant, key_id, second), { kind: 'refused', code: 'same_person' })
  assert.deepEqual(await confirmKey(db.sql, tenant, key_id, widener), { kind: 'changed' })
})

test('the database itself widens no confirmed key', async () => {
  const key_id = await confirmed(['192.0.2.7'])
  await assert.rejects(
    Promise.resolve(db.sql`update api_keys set allowed_addresses = '{}' where key_id = ${key_id}`),
    (error) => violatedConstraint(error) === 'api_keys_as_confirmed',
  )
  await db.sql`update api_keys set allowed_addresses = '{192.0.2.7/32}' where key_id = ${key_id}`
})
