import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { KEY_LENGTH_MAX, keyDigest, keyIdIn, newKey } from './key-format.ts'

test('a key shows its brand, its mode and its own id', () => {
  const { key_id, key } = newKey('bdm', false)
  assert.match(key.reveal(), /^bdm_sk_test_[0-9a-z]{71}$/)
  assert.match(newKey('service', true).key.reveal(), /^service_sk_live_[0-9a-z]{71}$/)
  assert.equal(keyIdIn(key.reveal()), key_id)
  assert.ok(newKey('abcdefgh', true).key.reveal().length <= KEY_LENGTH_MAX)
})

test('no two keys share anything', () => {
  const keys = Array.from({ length: 1_000 }, () => newKey('bdm', false))
  assert.equal(new Set(keys.map((one) => one.key_id)).size, 1_000)
  assert.equal(new Set(keys.map((one) => one.key.reveal().slice(25, 77))).size, 1_000)
})

test('a key prints itself hidden', () => {
  const { key } = newKey('bdm', false)
  assert.equal(`${key} ${JSON.stringify({ key })} ${inspect(key)}`.includes(key.reveal().slice(12)), false)
})

test('one wrong letter anywhere makes a key malformed', () => {
  const key = newKey('bdm', false).key.reveal()
  for (let at = 0; at < key.length; at += 1) {
    const other = key[at] === 'x' ? 'y' : 'x'
    assert.equal(keyIdIn(key.slice(0, at) + other + key.slice(at + 1)), null, `letter ${at}`)
  }
  for (const wrong of [
    '',
    'bdm',
    key.slice(1),
    `${key}0`,
    key.toUpperCase(),
    `${key}\n`,
    key.replace('test', 'live'),
  ]) {
    assert.equal(keyIdIn(wrong), null, wrong)
  }
})

test('a digest is 32 bytes and depends on every letter', () => {
  const key = newKey('bdm', true).key.reveal()
  assert.equal(keyDigest(key).length, 32)
  assert.notDeepEqual(keyDigest(key), keyDigest(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`))
  assert.equal(keyDigest('\ud800 anything at all').length, 32)
})
