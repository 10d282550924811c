import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCallback } from './callback.ts'
import { orderIdOf } from './translate.ts'

const ID = '8f0c5a4e-6d0d-4f0b-9e0e-0c8f4b1a7d10'
const ORDER = orderIdOf(ID)
const words = { status: 'SUCCESS', notif_token: 'dd497bda3b250e53', txnid: 'MP260302.1017.A12345' }

const about = (body: string, order: string | null = ORDER) => readCallback(Buffer.from(body), {}, order)

test('a notice is about the order that its address names, as JSON or as a query, and its token is no evidence', () => {
  for (const body of [JSON.stringify(words), new URLSearchParams(words).toString()]) {
    assert.deepEqual(about(body), {
      kind: 'about',
      reference: ID,
      token: { name: 'notif_token', value: words.notif_token },
      evidence: { signed: false, status: 'SUCCESS', txnid: 'MP260302.1017.A12345' },
    })
  }
  assert.equal(about(JSON.stringify(words), ORDER.toUpperCase()).kind, 'about')
})

test('a notice without an order of ours in its address, or without a token, is not read', () => {
  const body = JSON.stringify(words)
  for (const order of [null, '', `${ORDER}x`, ORDER.slice(1), ID, 'z'.repeat(25)]) {
    assert.deepEqual(about(body, order), { kind: 'forged' }, String(order))
  }
  for (const bad of ['', '[]', 'null', '{"status":"SUCCESS"}', '{"notif_token":1}', 'status=SUCCESS', '<html>']) {
    assert.deepEqual(about(bad), { kind: 'forged' }, bad)
  }
})
