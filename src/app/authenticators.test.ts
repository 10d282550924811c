import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Registry } from 'prom-client'
import { createMerchant } from '../../tests/harness/create-merchant.ts'
import { openTestDatabase, type TestDatabase } from '../../tests/harness/database.ts'
import { createKey, revokeKey } from '../../tests/harness/keys.ts'
import { parseAddressBlocks } from '../api-keys/address-blocks.ts'
import { createAuthenticator } from '../api-keys/authenticate.ts'
import { newKey } from '../api-keys/key-format.ts'
import { createClock } from '../platform/clock.ts'
import type { AuthRequest, AuthResult } from '../platform/http/authenticator.ts'
import type { Refusal } from '../platform/http/refusal.ts'
import { createLimits } from '../platform/limits/windows.ts'
import { createLog } from '../platform/log.ts'
import type { Scope } from '../values/caller.ts'
import { createAddressLimit, createApiAuthenticator } from './authenticators.ts'

const HOME = '192.0.2.10'
// The middle of a minute, which does not pass.
const clock = { ...createClock(), milliseconds: () => Date.UTC(2026, 7, 25, 12, 0, 43) }
const log = createLog('silent', 'test')

let db: TestDatabase
let merchant_id: number
let authenticator: ReturnType<typeof createAuthenticator>

before(async () => {
  db = await openTestDatabase()
  merchant_id = await createMerchant(db.sql, 'Boutique')
  authenticator = createAuthenticator({ sql: db.sql, clock, log })
})
after(async () => {
  await authenticator.close()
  await db[Symbol.asyncDispose]()
})

function openLimits() {
  return createLimits({
    redis_url: null,
    payer_attempts: { max: 5, window_seconds: 600, secret: Buffer.alloc(32) },
    clock,
    log,
    registry: new Registry(),
  })
}

function openAuthenticator(rate_per_key = 300) {
  return createApiAuthenticator({ authenticate: authenticator.authenticate, limits: openLimits(), rate_per_key })
}

async function makeKey(scope: Scope = 'collect', allowed: string[] = []): Promise<{ key_id: string; text: string }> {
  const tenant = { merchant_id, livemode: false }
  const allowed_addresses = parseAddressBlocks(allowed)!
  const { key_id, key } = await createKey(db.sql, tenant, { key_prefix: 'bdm', scope, allowed_addresses })
  return { key_id, text: key.reveal() }
}

function requestOf(key: string | null, scope: AuthRequest['scope'] = undefined): AuthRequest {
  return { headers: key === null ? {} : { authorization: `Bearer ${key}` }, address: HOME, scope }
}

/** Writes an answer in short: the caller, or the refusal with its status. */
function inShort(answer: AuthResult): string {
  return answer.kind === 'authenticated' ? 'authenticated' : `${answer.status} ${answer.code}`
}

test('a key opens the routes of its scope, and any key opens routes without a scope', async () => {
  const auth = openAuthenticator()
  const keys = { collect: (await makeKey('collect')).text, payout: (await makeKey('payout')).text }
  const answers = new Map<string, string>()
  for (const [name, key] of Object.entries(keys)) {
    for (const scope of ['collect', 'payout', 'any', undefined] as const) {
      answers.set(`${name} key, ${scope} route`, inShort(await auth.authenticate(requestOf(key, scope))))
    }
  }
  assert.deepEqual(Object.fromEntries(answers), {
    'collect key, collect route': 'authenticated',
    'collect key, payout route': '403 insufficient_scope',
    'collect key, any route': 'authenticated',
    'collect key, undefined route': 'authenticated',
    'payout key, collect route': '403 insufficient_scope',
    'payout key, payout route': 'authenticated',
    'payout key, any route': 'authenticated',
    'payout key, undefined route': 'authenticated',
  })
})

test('every wrong key gets the same 401', async () => {
  const auth = openAuthenticator()
  const revoked = await makeKey()
  await revokeKey(db.sql, revoked.key_id)
  const elsewhere = await makeKey('collect', ['198.51.100.0/24'])
  const wrong = [newKey('bdm', false).key.reveal(), revoked.text, elsewhere.text, 'malformed', `${revoked.text}x`]
  const expected = {
    kind: 'refused',
    status: 401,
    code: 'invalid_api_key',
    headers: { 'WWW-Authenticate': 'Bearer' },
  }
  for (const key of wrong) assert.deepEqual(await auth.authenticate(requestOf(key)), expected)
  assert.deepEqual(await auth.authenticate(requestOf(null)), { ...expected, code: 'authentication_required' })
})

test('a cached key within its rate is answered without a promise', async () => {
  const auth = openAuthenticator()
  const { text } = await makeKey()
  await auth.authenticate(requestOf(text))
  assert.equal(auth.authenticate(requestOf(text)) instanceof Promise, false)
})

test('a key over its rate is refused with all four headers, and its caller is known', async () => {
  const auth = openAuthenticator(2)
  const { text, key_id } = await makeKey()
  const answers = [
    await auth.authenticate(requestOf(text)),
    await auth.authenticate(requestOf(text)),
    await auth.authenticate(requestOf(text)),
  ]
  assert.deepEqual(answers.map(inShort), ['authenticated', 'authenticated', '429 rate_limit_exceeded'])
  const refused = answers[2] as Refusal & { caller: { key_id: string } }
  assert.deepEqual(refused.headers, {
    'Retry-After': '17',
    'RateLimit-Limit': '2',
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': '17',
  })
  assert.equal(refused.caller.key_id, key_id)
  assert.equal(inShort(await auth.authenticate(requestOf((await makeKey()).text))), 'authenticated')
})

test('the rate is checked before the scope, and a call with the wrong scope counts', async () => {
  const auth = openAuthenticator(2)
  const { text } = await makeKey('collect')
  const answers: string[] = []
  for (let calls = 0; calls < 3; calls += 1) answers.push(inShort(await auth.authenticate(requestOf(text, 'payout'))))
  assert.deepEqual(answers, ['403 insufficient_scope', '403 insufficient_scope', '429 rate_limit_exceeded'])
})

test('calls with a wrong key count for no key', async () => {
  const auth = openAuthenticator(1)
  const { text } = await makeKey()
  const wrong = text.slice(0, 40) + (text[40] === '0' ? '1' : '0') + text.slice(41)
  for (let calls = 0; calls < 3; calls += 1)
    assert.equal(inShort(await auth.authenticate(requestOf(wrong))), '401 invalid_api_key')
  assert.equal(inShort(await auth.authenticate(requestOf(text))), 'authenticated')
})

test('an address over its rate is refused with all four headers, others are not, and pages have a rate of their own', () => {
  const { check, giveBack } = createAddressLimit({ limits: openLimits(), rate_per_address: 2, pages_per_address: 1 })
  assert.deepEqual([check(HOME, 'address'), check(`::ffff:${HOME}`, 'address')], [null, null])
  assert.deepEqual(check(HOME, 'address'), {
    kind: 'refused',
    status: 429,
    code: 'rate_limit_exceeded',
    headers: { 'Retry-After': '17', 'RateLimit-Limit': '2', 'RateLimit-Remaining': '0', 'RateLimit-Reset': '17' },
  })
  assert.equal(check('192.0.2.11', 'address'), null)
  assert.equal(check(HOME, 'page'), null)
  const refused = check(HOME, 'page')
  assert.ok(refused !== null && !(refused instanceof Promise))
  assert.equal(refused.headers?.['RateLimit-Limit'], '1')
  const now = new Date(clock.milliseconds())
  for (const counted_at of [now, new Date(0)]) giveBack(HOME, counted_at)
  giveBack(HOME, now)
  assert.equal(check(HOME, 'address'), null, 'two of three were given back in this minute')
  assert.ok(check(HOME, 'address') !== null)
})
