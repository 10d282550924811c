import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { hmacSha256 } from '../platform/hmac.ts'
import { newReference, orderKeyOf, referenceFrom } from './reference.ts'

const key = Buffer.alloc(32, 7)
const tenant = { merchant_id: 1, livemode: true }
const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('a key has one reference for ever: a later version of this code must derive the same', () => {
  const order_key = orderKeyOf(hmacSha256(key), tenant, 'order-47')
  assert.equal(order_key.toString('hex'), 'a6f009a8ca929e4f2cb18858fbe5fbd8463ecba6a1c68be7abbbdae7273fa047')
  assert.equal(referenceFrom(order_key, 'collect'), '424ee419-ca64-4e7d-8520-b6f4875b9ee5')
  assert.equal(referenceFrom(order_key, 'payout', 12), '01bb1360-3842-43e8-b150-d0df25bdf919')
})

test('another merchant, mode, key, direction, rank or reference key is another reference', () => {
  const keys = [
    [key, tenant, 'order-47'],
    [Buffer.alloc(32, 8), tenant, 'order-47'],
    [key, { ...tenant, merchant_id: 11 }, 'order-47'],
    [key, { ...tenant, livemode: false }, 'order-47'],
    [key, tenant, 'order-48'],
    [key, tenant, ' order-47'],
  ] as const
  const references = keys.flatMap(([of, who, idempotency_key]) => {
    const order_key = orderKeyOf(hmacSha256(of), who, idempotency_key)
    return (['collect', 'payout', 'refund'] as const).flatMap((direction) =>
      [0, 1, 11, 111].map((rank) => referenceFrom(order_key, direction, rank)),
    )
  })
  assert.equal(new Set(references).size, keys.length * 3 * 4)
})

test('every reference is a UUID of version 4, derived or not', () => {
  for (let at = 0; at < 1_000; at += 1) {
    assert.match(referenceFrom(randomBytes(32), 'payout', at), uuid4)
    assert.match(newReference(1_700_000_000_000 + at), uuid4)
  }
})

test('a reference that is not derived sorts by its time, and is unique', () => {
  const times = [1, 1_700_000_000_000, 1_763_668_800_000, 1_763_668_800_001, 2 ** 48 - 1]
  const references = times.map(newReference)
  assert.deepEqual(references.toSorted(), references)
  assert.equal(new Set(Array.from({ length: 10_000 }, () => newReference(times[2]!))).size, 10_000)
})
