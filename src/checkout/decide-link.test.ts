import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideLink, type LinkAsked } from './decide-link.ts'

const now = new Date('2026-11-24T10:00:00.000Z')
const none: LinkAsked = {
  amount: null,
  min: null,
  max: null,
  description: null,
  reference: null,
  whatsapp: null,
  reusable: false,
  expires_at: null,
}

function decide(asked: Partial<LinkAsked>, most = 2_000) {
  const tokenHash = (id: string) => Buffer.from(id)
  const decided = decideLink({ merchant_id: 1, livemode: false }, { ...none, ...asked }, { most, tokenHash, now })
  return decided.kind === 'refused' ? decided.code : decided.row
}

/** The amounts of an accepted link. */
function amountsOf(asked: Partial<LinkAsked>, most?: number) {
  const row = decide(asked, most)
  assert.ok(typeof row === 'object', String(row))
  return [row.amount, row.min_amount, row.max_amount]
}

test('a link has an amount, or two bounds, each at most the most of one payment', () => {
  assert.deepEqual(amountsOf({ amount: 2_000 }), [2_000, null, null])
  assert.deepEqual(amountsOf({}), [null, 100, 2_000])
  assert.deepEqual(amountsOf({ min: 2_000 }), [null, 2_000, 2_000])
  assert.deepEqual(amountsOf({ min: 1, max: 1 }), [null, 1, 1])
  assert.equal(decide({ amount: 2_001 }), 'amount_too_high')
  assert.equal(decide({ max: 2_001 }), 'amount_too_high')
  assert.equal(decide({ min: 2_001 }), 'invalid_bounds')
  assert.equal(decide({ min: 500, max: 499 }), 'invalid_bounds')
  assert.equal(decide({}, 99), 'invalid_bounds', 'a payer chooses at least 100 francs, unless the link says otherwise')
})

test('a link expires in the future or never', () => {
  assert.equal(decide({ amount: 1, expires_at: now }), 'expiry_in_past')
  const soon = new Date(now.getTime() + 1)
  const row = decide({ amount: 1, expires_at: soon })
  assert.ok(typeof row === 'object')
  assert.deepEqual([row.expires_at, row.created_at, row.token_hash.toString()], [soon, now, row.id])
})
