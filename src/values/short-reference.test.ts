import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { idFrom } from './ids.ts'
import { rangeOf, shortReference } from './short-reference.ts'

const now = Date.parse('2026-11-20T13:16:00Z')

/** An identifier of a moment; `newId` never goes back in time. */
const idAt = (milliseconds: number) => idFrom('txn', milliseconds, randomBytes(10))

test('a reference is ten letters that are easy to tell apart, and finds its identifier', () => {
  const day = 86_400_000
  for (const age of [0, 1, 32_767, 32_768, day, 400 * day, 30 * 365 * day]) {
    const id = idAt(now - age)
    const reference = shortReference(id)
    assert.match(reference, /^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/)
    const { from, before, end } = rangeOf('txn', reference, now)!
    assert.ok(from <= id && id < before && id.endsWith(end), `${id} ${from} ${before}`)
  }
})

test('a reference is recognised in many spellings', () => {
  const range = rangeOf('txn', 'KAG50-C6W1Z', now)
  for (const written of ['kag50c6w1z', ' KAG50 – C6W1Z ', 'KAG5O-C6WIZ', 'kag5o.c6wlz']) {
    assert.deepEqual(rangeOf('txn', written, now), range, written)
  }
  for (const none of ['', 'KAG50', 'KAG50-C6W1ZZ', 'KAG50-C6W1U', 'txn_01kag5x9y2f3v8n4q7m1c6w0zt']) {
    assert.equal(rangeOf('txn', none, now), null, none)
  }
})

test('a range contains the identifiers of one half minute only', () => {
  const { from, before } = rangeOf('txn', shortReference(idAt(now)), now)!
  assert.deepEqual([from.length, before.length], [11, 11])
  assert.ok(idAt(now + 40_000) >= before)
})
