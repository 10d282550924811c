import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openPool, openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { createKey, revokeKey, setAllowedAddresses } from '../../tests/harness/keys.ts'
import { untilSeenWithinASecond, waitFor } from '../../tests/harness/wait-for.ts'
import { createClock } from '../platform/clock.ts'
import { createLog } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Scope, Tenant } from '../values/caller.ts'
import { type AddressBlock, parseAddressBlocks } from './address-blocks.ts'
import { type Authentication, createAuthenticator, REFUSAL_MS } from './authenticate.ts'
import { keyDigest, newKey } from './key-format.ts'

const HOME = '192.0.2.10'
const invalid = { kind: 'refused', code: 'invalid_api_key' }
const log = createLog('silent', 'test')

let db: TestDatabase
let other: Sql
let here: ReturnType<typeof createAuthenticator>
/** Another process: a pool and a memory of its own. */
let elsewhere: ReturnType<typeof createAuthenticator>
let merchant: number

before(async () => {
  db = await openTestDatabase()
  other = openPool({ url: db.url, connections: 1, name: 'test elsewhere' })
  here = createAuthenticator({ sql: db.sql, clock: createClock(), log })
  elsewhere = createAuthenticator({ sql: other, clock: createClock(), log })
  const [row] = await db.sql<{ merchant_id: number }[]>`
    insert into merchants (name) values ('Test') returning merchant_id`
  merchant = row!.merchant_id
})

after(async () => {
  await here.close()
  await elsewhere.close()
  await other.end({ timeout: 1 })
  await db[Symbol.asyncDispose]()
})

async function makeKey(
  options: { livemode?: boolean; scope?: Scope; allowed?: string[]; tenant?: Tenant } = {},
): Promise<{ key_id: string; header: string; text: string }> {
  const tenant = options.tenant ?? { merchant_id: merchant, livemode: options.livemode ?? false }
  const { key_id, key } = await createKey(db.sql, tenant, {
    key_prefix: 'bdm',
    scope: options.scope ?? 'collect',
    allowed_addresses: blocks(options.allowed ?? []),
  })
  return { key_id, header: `Bearer ${key.reveal()}`, text: key.reveal() }
}

function blocks(written: string[]): AddressBlock[] {
  return parseAddressBlocks(written)!
}

const isRefused = async (answer: Authentication | Promise<Authentication>) => (await answer).kind === 'refused'

test('a key determines its merchant, its mode and its scope', async () => {
  const live = await makeKey({ livemode: true, scope: 'payout' })
  const caller = { merchant_id: merchant, livemode: true, key_id: live.key_id, scope: 'payout', merchant_active: true }
  assert.deepEqual(await here.authenticate(live.header, HOME), { kind: 'authenticated', caller })
  const testing = await makeKey()
  const found = await here.authenticate(testing.header, HOME)
  assert.ok(found.kind === 'authenticated')
  assert.equal(found.caller.livemode, false)
  assert.equal(found.caller.scope, 'collect')
})

test('a known key is answered without a promise', async () => {
  const key = await makeKey()
  await here.authenticate(key.header, HOME)
  assert.equal(here.authenticate(key.header, HOME) instanceof Promise, false)
})

test('the database keeps no key, only its digest', async () => {
  const key = await makeKey()
  const [row] = await db.sql<{ secret_hash: Buffer; written: string }[]>`
    select secret_hash, k::text as written from api_keys k where key_id = ${key.key_id}`
  assert.deepEqual(row!.secret_hash, keyDigest(key.text))
  assert.equal(row!.written.includes(key.text.slice(25)), false)
})

test('a call without a key is told to send one', () => {
  for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic Zm9vOmJhcg==', 'bdm_sk_test_x', 'Bearerx y']) {
    assert.deepEqual(here.authenticate(header, HOME), { kind: 'refused', code: 'authentication_required' }, `${header}`)
  }
})

test('the scheme may be written in any case', async () => {
  const key = await makeKey()
  for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
    assert.equal((await here.authenticate(`${scheme} ${key.text}`, HOME)).kind, 'authenticated', scheme)
  }
})

/** Every way in which a key can be wrong, as headers that stay wrong. */
async function wrongKeys(): Promise<Record<string, string>> {
  const revoked = await makeKey()
  await revokeKey(db.sql, revoked.key_id)
  const good = await makeKey()
  const unknown = newKey('bdm', false).key.reveal()
  const forged = newKey('bdm', false).key.reveal()
  // The secret of one key under the name of another, with a right checksum: its row exists and the digest differs.
  const [made] = await db.sql<{ key_id: string }[]>`
    insert into api_keys (merchant_id, livemode, key_id, scope, secret_hash)
    values (${merchant}, false, ${forged.slice(12, 25)}, 'collect', ${Buffer.alloc(32, 7)}) returning key_id`
  await db.sql`insert into api_key_lookup values (${made!.key_id}, ${merchant}, false)`
  return {
    unknown,
    revoked: revoked.text,
    forged,
    'malformed, too short': good.text.slice(0, -1),
    'malformed, a letter changed': good.text.slice(0, 40) + (good.text[40] === '0' ? '1' : '0') + good.text.slice(41),
    'malformed, the other mode': good.text.replace('_test_', '_live_'),
    'malformed, something after it': `${good.text} ${good.text}`,
    'malformed, nothing like a key': 'secret',
    'malformed, very long': 'x'.repeat(10_000),
    'malformed, 2 MB of key': good.text.repeat(25_000),
    'from another address': (await makeKey({ allowed: ['198.51.100.0/24'] })).text,
  }
}

test('every wrong key gets the same answer', async () => {
  for (const [why, key] of Object.entries(await wrongKeys())) {
    assert.deepEqual(await here.authenticate(`Bearer ${key}`, HOME), invalid, why)
    assert.deepEqual(await here.authenticate(`Bearer ${key}`, HOME), invalid, `${why}, remembered`)
  }
})

test('a right checksum on the other mode does not make a key of it', async () => {
  const key = await makeKey()
  const live = newKey('bdm', true).key.reveal()
  // The id of a test key in an otherwise good live key: only the checksum is left to repair.
  const { base32Bytes } = await import('../values/ids.ts')
  const { hash } = await import('node:crypto')
  const unchecked = `bdm_sk_live_${key.key_id}${live.slice(25, 77)}`
  const repaired = unchecked + base32Bytes(hash('sha256', unchecked, 'buffer').subarray(0, 4)).slice(0, 6)
  assert.deepEqual(await here.authenticate(`Bearer ${repaired}`, HOME), invalid)
})

test('every wrong key is answered after the same time, also when the database must be asked', async () => {
  // null: a key that no memory can answer.
  for (const [why, key] of [...Object.entries(await wrongKeys()), ['never sent before', null] as const]) {
    let turn: Turn = 'late'
    // A database that answers later than a refusal may go out delays that refusal. It does not always.
    for (let sent = 0; sent < DELAYED_MAX && turn === 'late'; sent += 1) {
      turn = await turnOf(`Bearer ${key ?? newKey('bdm', false).key.reveal()}`)
    }
    assert.equal(turn, 'in time', why)
  }
})

/** The most refusals of one kind, one after the other, for which a busy database takes too long. */
const DELAYED_MAX = 500

type Turn = 'early' | 'in time' | 'late'

/**
 * Sends a wrong key between the starts of two timers with the time of a refusal, and returns whether the refusal comes between their ends. Timers
 * of one length end in the order of their starts, also on a machine that stands still meanwhile.
 */
async function turnOf(header: string): Promise<Turn> {
  let turn: Turn = 'early'
  const first = wait(REFUSAL_MS).then(() => {
    turn = 'in time'
  })
  const refused = Promise.resolve(here.authenticate(header, HOME)).then(() => turn)
  const second = wait(REFUSAL_MS).then(() => {
    turn = 'late'
  })
  await Promise.all([first, second])
  return await refused
}

test('a revoked key is refused within a second by a process that was using it', async () => {
  const key = await makeKey()
  assert.equal(await isRefused(elsewhere.authenticate(key.header, HOME)), false)
  assert.deepEqual(await revokeKey(db.sql, key.key_id), { kind: 'changed' })
  await untilSeenWithinASecond(() => isRefused(elsewhere.authenticate(key.header, HOME)))
  assert.deepEqual(await elsewhere.authenticate(key.header, HOME), invalid)
})

test('a revoked key stays revoked at its first time', async () => {
  const key = await makeKey()
  await revokeKey(db.sql, key.key_id)
  const revokedAt = () => db.sql`select revoked_at from api_keys where key_id = ${key.key_id}`
  const [first] = await revokedAt()
  await revokeKey(db.sql, key.key_id)
  assert.deepEqual((await revokedAt())[0], first)
})

test('a key that does not exist can be neither revoked nor restricted', async () => {
  const nobody = { kind: 'refused', code: 'resource_not_found' }
  assert.deepEqual(await revokeKey(db.sql, 'nobody'), nobody)
  assert.deepEqual(await setAllowedAddresses(db.sql, 'nobody', []), nobody)
})

test('a restricted key works from its blocks, and emptying the list frees it within a second', async () => {
  const key = await makeKey({ allowed: ['198.51.100.0/24', '2001:db8::/32'] })
  for (const address of ['198.51.100.9', '::ffff:198.51.100.9', '2001:db8::9']) {
    assert.equal(await isRefused(elsewhere.authenticate(key.header, address)), false, address)
  }
  for (const address of [HOME, '2001:db9::9', 'no address']) {
    assert.deepEqual(await elsewhere.authenticate(key.header, address), invalid, address)
  }
  await setAllowedAddresses(db.sql, key.key_id, [])
  await untilSeenWithinASecond(async () => !(await isRefused(elsewhere.authenticate(key.header, HOME))))
  await setAllowedAddresses(db.sql, key.key_id, blocks(['203.0.113.1']))
  await untilSeenWithinASecond(() => isRefused(elsewhere.authenticate(key.header, HOME)))
})

test('a deactivated merchant is known as such within a second', async () => {
  const [row] = await db.sql<{ merchant_id: number }[]>`
    insert into merchants (name) values ('Closing') returning merchant_id`
  const key = await makeKey({ tenant: { merchant_id: row!.merchant_id, livemode: false } })
  const active = async () => {
    const found = await elsewhere.authenticate(key.header, HOME)
    return found.kind === 'authenticated' && found.caller.merchant_active
  }
  assert.equal(await active(), true)
  await db.sql`update merchants set active = false where merchant_id = ${row!.merchant_id}`
  await untilSeenWithinASecond(async () => !(await active()))
  assert.equal(await isRefused(elsewhere.authenticate(key.header, HOME)), false)
})

test('the last refused address of a key is noted, beside the answer', async () => {
  const key = await makeKey({ allowed: ['198.51.100.0/24'] })
  const noted = async () => {
    const [row] = await db.sql<{ address: string | null; at: Date | null }[]>`
      select host(last_refused_address) as address, last_refused_at as at from api_keys where key_id = ${key.key_id}`
    return row!
  }
  await here.authenticate(key.header, HOME)
  await here.authenticate(key.header, '::ffff:192.0.2.77')
  await waitFor(async () => (await noted()).address !== null)
  assert.equal((await noted()).address, '192.0.2.77')
  assert.ok(Math.abs((await noted()).at!.getTime() - createClock().milliseconds()) < 10_000)
})

test('a wrong secret from a wrong address notes nothing', async () => {
  const key = await makeKey({ allowed: ['198.51.100.0/24'] })
  const wrong = key.text.slice(0, 30) + (key.text[30] === '0' ? '1' : '0') + key.text.slice(31)
  const passing = createAuthenticator({ sql: db.sql, clock: createClock(), log })
  await passing.authenticate(`Bearer ${wrong}`, HOME)
  await passing.close()
  const [row] = await db.sql`select last_refused_address from api_keys where key_id = ${key.key_id}`
  assert.equal(row!.last_refused_address, null)
})

test('refusals that wait are written when the process stops', async () => {
  const key = await makeKey({ allowed: ['198.51.100.0/24'] })
  const passing = createAuthenticator({ sql: db.sql, clock: createClock(), log })
  await passing.authenticate(key.header, '2001:db8::5')
  await passing.close()
  const [row] = await db.sql`
    select host(last_refused_address) as address from api_keys where key_id = ${key.key_id}`
  assert.equal(row!.address, '2001:db8::5')
})

test('keys of a merchant that came together are looked up together', async () => {
  const keys = await Promise.all(Array.from({ length: 20 }, () => makeKey()))
  const fresh = createAuthenticator({ sql: db.sql, clock: createClock(), log })
  const found = await Promise.all(keys.map((key) => fresh.authenticate(key.header, HOME)))
  assert.deepEqual(
    found.map((one) => one.kind === 'authenticated' && one.caller.key_id),
    keys.map((key) => key.key_id),
  )
})

/** A key that sends money waits for a second person. Only its holder, from where it may be used, reads so. */
const ends: [
  why: string,
  change: string,
  allowed: string[],
  from: string,
  spoilt: boolean,
  answer: 'waits' | 'invalid' | 'works',
][] = [
  ['from anywhere', 'waits', [], HOME, false, 'waits'],
  ['from its address', 'waits', [HOME], HOME, false, 'waits'],
  ['from its block', 'waits', ['192.0.2.0/24'], HOME, false, 'waits'],
  ['from another address', 'waits', ['198.51.100.7'], HOME, false, 'invalid'],
  ['with another secret', 'waits', [], HOME, true, 'invalid'],
  ['with another secret, from its address', 'waits', [HOME], HOME, true, 'invalid'],
  ['from an address that is none', 'waits', [HOME], 'nowhere', false, 'invalid'],
  ['after it was revoked', 'revoked', [], HOME, false, 'invalid'],
  ['after it was confirmed', 'confirmed', [HOME], HOME, false, 'works'],
  ['after it was confirmed and revoked', 'confirmed and revoked', [], HOME, false, 'invalid'],
]
const answerWords = { waits: 'is told so', works: 'works', invalid: 'is as any wrong key' } as const
for (const [why, change, allowed, from, spoilt, answer] of ends) {
  test(`a key that ${change}, ${why}, ${answerWords[answer]}`, async () => {
    const { key_id, header } = await makeKey({ scope: 'payout', allowed })
    await db.sql`update api_keys set created_by = 'koffi@example.com', needs_confirmation = true where key_id = ${key_id}`
    if (change.startsWith('confirmed')) {
      await db.sql`update api_keys set confirmed_by = 'awa@example.com', confirmed_at = clock_now() where key_id = ${key_id}`
    }
    if (change.endsWith('revoked')) await db.sql`update api_keys set revoked_at = clock_now() where key_id = ${key_id}`
    const sent = spoilt ? header.slice(0, -1) + (header.endsWith('a') ? 'b' : 'a') : header
    const found = await here.authenticate(sent, from)
    if (answer === 'works') assert.equal(found.kind, 'authenticated')
    else if (answer === 'invalid') assert.deepEqual(found, invalid)
    else {
      assert.ok(found.kind === 'refused')
      assert.equal(found.code, 'invalid_api_key')
      assert.match(found.message!, /waits for its second person/)
    }
  })
}
