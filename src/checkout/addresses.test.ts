import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from '../../tests/harness/property.ts'
import { newId } from '../values/ids.ts'
import { Secret } from '../values/secret.ts'
import { createAddresses } from './addresses.ts'
import { createNonces } from './nonces.ts'

const secretKey = new Secret('a key of at least thirty-two characters')
const addresses = createAddresses({ secretKey, origin: () => 'https://pay.example/' })
const others = createAddresses({
  secretKey: new Secret('another key of thirty-two characters'),
  origin: () => 'https://x',
})
const tokenOf = (session_id: string) => addresses.sessionPath(session_id).slice('/pay/'.length)

test('an address is under the public origin, and the same at every call', () => {
  const id = newId('cs', 1)
  assert.equal(addresses.sessionUrl(id), `https://pay.example${addresses.sessionPath(id)}`)
  assert.equal(addresses.sessionUrl(id), addresses.sessionUrl(id))
  assert.match(addresses.linkUrl('lnk_1'), /^https:\/\/pay\.example\/link\/[0-9a-z]{40}$/)
})

test('a token gives the hash in the database, and no other', () => {
  const ids = Array.from({ length: 500 }, (_, at) => newId('cs', at))
  for (const id of ids) assert.deepEqual(addresses.hashOf(tokenOf(id)), addresses.tokenHash(id))
  assert.equal(new Set(ids.map(tokenOf)).size, ids.length)
  assert.equal(addresses.tokenHash('cs_1').toString('hex'), createHash('sha256').update(tokenOf('cs_1')).digest('hex'))
})

test('a token of another key, or with any letter changed, is refused', () => {
  const token = tokenOf('cs_1')
  assert.equal(others.hashOf(token), null)
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === 'a' ? 'b' : 'a'
    assert.equal(addresses.hashOf(token.slice(0, at) + other + token.slice(at + 1)), null, `letter ${at}`)
  }
})

test('no random text is accepted as a token', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[0-9a-z]{40}$/)), (text) => {
      assert.equal(addresses.hashOf(text), null)
    }),
  )
  assert.equal(addresses.hashOf('é'.repeat(20)), null)
})

let now = 1_800_000_000_000
const clock = { now: () => new Date(now), milliseconds: () => now, adjust: () => {} }
const nonces = createNonces({ secretKey, clock })

test('a nonce is valid for its page, for a day', () => {
  const nonce = nonces.make('cs_1')
  assert.equal(nonces.read('cs_1', nonce), now)
  assert.equal(nonces.read('cs_2', nonce), null)
  assert.notEqual(nonces.make('cs_1'), nonce)
  const made = now
  now += 24 * 3_600_000 - 1
  assert.equal(nonces.read('cs_1', nonce), made)
  now += 1
  assert.equal(nonces.read('cs_1', nonce), null)
})

test('no random text and no nonce with a changed letter is accepted', () => {
  const nonce = nonces.make('cs_1')
  for (let at = 0; at < nonce.length; at += 1) {
    const other = nonce[at] === 'A' ? 'B' : 'A'
    assert.equal(nonces.read('cs_1', nonce.slice(0, at) + other + nonce.slice(at + 1)), null, `letter ${at}`)
  }
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => assert.equal(nonces.read('cs_1', text), null)))
})

test('a form gives one session for one amount, and one idempotency key for one number and operator', () => {
  const nonce = nonces.make('lnk_1')
  const session = nonces.sessionOf('lnk_1', nonce, now, 500)
  assert.match(session, /^cs_[0-9a-z]{26}$/)
  assert.equal(nonces.sessionOf('lnk_1', nonce, now, 500), session)
  const others = [
    nonces.sessionOf('lnk_1', nonce, now, 501),
    nonces.sessionOf('lnk_2', nonce, now, 500),
    nonces.sessionOf('lnk_1', nonces.make('lnk_1'), now, 500),
  ]
  assert.equal(new Set([session, ...others]).size, 4)
  const keys = [
    nonces.attemptKey('cs_1', nonce, '+2250700000000', 'orange_ci'),
    nonces.attemptKey('cs_2', nonce, '+2250700000000', 'orange_ci'),
    nonces.attemptKey('cs_1', nonce, '+2250500000000', 'orange_ci'),
    nonces.attemptKey('cs_1', nonce, '+2250700000000', 'mtn_ci'),
  ]
  assert.equal(new Set(keys).size, 4)
  for (const key of keys) assert.match(key, /^page_[0-9a-f]{64}$/)
})
