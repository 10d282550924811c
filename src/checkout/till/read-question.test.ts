import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readQuestion } from './read-question.ts'

const questions: readonly (readonly [string, ReturnType<typeof readQuestion>])[] = [
  ['', null],
  ['  ', null],
  ['6W0Z', { code: '6w0z', amount: null, reference: '6W0Z' }],
  ['6woz', { code: '6w0z', amount: null, reference: '6woz' }],
  ['IL10', { code: '1110', amount: null, reference: 'IL10' }],
  ['KAG5X-C6W0Z', { code: '6w0z', amount: null, reference: 'KAG5X-C6W0Z' }],
  ['12 500', { code: null, amount: 12_500, reference: '12 500' }],
  ['1250', { code: '1250', amount: 1_250, reference: '1250' }],
  ['CMD-417', { code: null, amount: null, reference: 'CMD-417' }],
  ['\u202e7140', { code: null, amount: null, reference: null }],
  ["' or 1=1 --", { code: null, amount: null, reference: null }],
]
for (const [written, read] of questions) {
  test(`the question ${JSON.stringify(written)} is read in each of its meanings`, () => {
    assert.deepEqual(readQuestion(written), read)
  })
}

test('a question of any length is read', () => {
  assert.deepEqual(readQuestion('x'.repeat(10_000)), { code: null, amount: null, reference: null })
})
