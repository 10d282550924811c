import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RefusedOrder } from '../operators/doubts/ask-refused.ts'
import { contentText } from '../people/step-up/step-up.ts'
import { askedFacts } from './ask-first.ts'

const orders = (count: number): RefusedOrder[] =>
  Array.from({ length: count }, (_, nth) => ({
    subject_id: `por_${String(nth).padStart(20, '0')}`,
    msisdn: null,
    amount: 1_000,
    operator: 'moov_ci',
    said: nth % 2 === 0 ? 'refused' : 'silent',
  }))

const textOf = (asked: readonly RefusedOrder[]) => contentText(askedFacts(asked))

test('a confirmation names up to fifty failed orders, and no order leaves it empty', () => {
  assert.deepEqual(askedFacts([]), {})
  const { operators_said } = askedFacts(orders(50)) as { operators_said: Record<string, string> }
  assert.equal(Object.keys(operators_said).length, 50)
})

test('a confirmation of a thousand failed orders stays short, and differs if one answer does', () => {
  const many = orders(1_000)
  assert.ok(Buffer.byteLength(textOf(many)) < 500)
  const swapped = many.map((order, nth) => (nth < 2 ? { ...order, said: many[1 - nth]!.said } : order))
  assert.notEqual(textOf(swapped), textOf(many), 'the counts are the same, and two orders changed places')
  assert.equal(textOf(many.toReversed()), textOf(many))
})
