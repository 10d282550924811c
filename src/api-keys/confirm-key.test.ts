import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { assertMovesAsTable } from '../../tests/harness/effects.ts'
import { confirmKey, createKey, revokeKey } from '../../tests/harness/keys.ts'
import { newMerchant } from '../../tests/harness/merchant.ts'
import { untilSeenWithinASecond, waitFor } from '../../tests/harness/wait-for.ts'
import { createClock } from '../platform/clock.ts'
import { createLog } from '../platform/log.ts'
import { violatedConstraint } from '../platform/postgres/failures.ts'
import type { Actor } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import { createAuthenticator } from './authenticate.ts'
import { findKeyOf } from './find-keys.ts'
import { transitionKey } from './move-key.ts'
import { keyStatus, keyTransitions } from './states.ts'
import type { LockedKey } from './store.ts'

const HOME = '192.0.2.10'
const by = (person: string): Actor => ({ person, door: 'console', from: HOME, step_up_id: null })
const aya = by('aya@example.ci')
const koffi = by('koffi@example.ci')

let db: TestDatabase
let tenant: Tenant
let keys: ReturnType<typeof createAuthenticator>

before(async () => {
  db = await openTestDatabase()
  const { merchant_id } = await newMerchant(db.sql)
  tenant = { merchant_id, livemode: true }
  keys = createAuthenticator({ sql: db.sql, clock: createClock(), log: createLog('silent', 'test') })
})

after(async () => {
  await keys.close()
  await db[Symbol.asyncDispose]()
})

test('in every state each trigger moves a key as the table of transitions says, or changes nothing', () => {
  const key: LockedKey = {
    ...{ merchant_id: 1, livemode: true, key_id: 'k', name: 'Paie', scope: 'payout', created_by: aya.person },
    ...{ widened_by: null, needs_confirmation: true, confirmed_by: null, revoked_by: null, allowed_addresses: [] },
    status: 'to_confirm',
  }
  assertMovesAsTable(
    'API key',
    ['to_confirm', 'active', 'revoked'],
    keyTransitions,
    (status) => ({ ...key, status }),
    (locked, trigger, now) => transitionKey(locked, { ...trigger, by: koffi.person }, now),
  )
})

async function propose() {
  const wanted = { key_prefix: 'bdm', scope: 'payout', name: 'Paie', needs_confirmation: true } as const
  const { key_id, key } = await createKey(db.sql, tenant, wanted, aya)
  const use = async () => (await keys.authenticate(`Bearer ${key.reveal()}`, HOME)).kind
  const status = async () => keyStatus((await findKeyOf(db.sql, tenant, key_id))!)
  return { key_id, use, status }
}

test('a proposed key that sends money opens nothing until another person confirms it, and then everywhere within a second', async () => {
  const { key_id, use, status } = await propose()
  assert.equal(await use(), 'refused')
  assert.equal(await status(), 'to_confirm')
  assert.deepEqual(await confirmKey(db.sql, tenant, key_id, aya), { kind: 'refused', code: 'same_person' })
  assert.equal(await use(), 'refused')
  assert.deepEqual(await confirmKey(db.sql, tenant, key_id, koffi), { kind: 'changed' })
  await untilSeenWithinASecond(async () => (await use()) === 'authenticated')
  assert.deepEqual(await confirmKey(db.sql, tenant, key_id, koffi), { kind: 'changed' })
  const acts = await db.sql`select actor from audit_log where act = 'key.confirm' and subject = ${key_id}`
  assert.deepEqual(acts, [{ actor: koffi.person }], 'a second tap is the same decision')
})

test('the database itself refuses the person who made the key', async () => {
  const { key_id } = await propose()
  await assert.rejects(
    db.sql`update api_keys set confirmed_by = ${aya.person}, confirmed_at = clock_now() where key_id = ${key_id}`,
    (error) => violatedConstraint(error) === 'api_keys_two_people',
  )
})

test('a revoked key, one of another merchant or mode, and one that needs no second person are not confirmed', async () => {
  const { key_id } = await propose()
  const unknown = { kind: 'refused', code: 'resource_not_found' }
  assert.deepEqual(await confirmKey(db.sql, { ...tenant, livemode: false }, key_id, koffi), unknown)
  assert.deepEqual(await confirmKey(db.sql, { ...tenant, merchant_id: 0 }, key_id, koffi), unknown)
  assert.deepEqual(await revokeKey(db.sql, key_id, koffi, { ...tenant, livemode: false }), unknown)
  await revokeKey(db.sql, key_id, aya, tenant)
  const not = { kind: 'refused', code: 'key_not_to_confirm' }
  assert.deepEqual(await confirmKey(db.sql, tenant, key_id, koffi), not)
  const { key_id: alone } = await createKey(db.sql, tenant, { key_prefix: 'bdm', scope: 'payout' }, aya)
  assert.deepEqual(await confirmKey(db.sql, tenant, alone, koffi), not)
})

test('the last call with a key is noted, beside the answer', async () => {
  const { key_id, key } = await createKey(db.sql, tenant, { key_prefix: 'bdm', scope: 'collect' }, aya)
  const usedFrom = async () => (await findKeyOf(db.sql, tenant, key_id))!.last_used_address
  await keys.authenticate(`Bearer ${key.reveal()}`, HOME)
  await waitFor(async () => (await usedFrom()) === HOME, { what: 'the note' })
})
