import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Doubted, forecast, LIKE_IT_MIN } from './forecast.ts'

/** Makes operations in doubt that are in this state, so many seconds after their send. */
const some = (count: number, state: Doubted['state'], seconds: number, by_people = false): Doubted[] =>
  Array.from({ length: count }, () => ({ state, seconds, by_people }))

test('a forecast states when nearly all comparable operations end, and how many succeed', () => {
  const history = [...some(57, 'confirmed', 300), ...some(37, 'refused', 500), ...some(6, 'unknown', 90_000)]
  const told = forecast(30, history)
  assert.ok(told.kind === 'told')
  assert.deepEqual([told.like_it, told.within_minutes, told.ended], [100, 10, 0.94])
  assert.equal(told.says, '94 % of such end within 10 minutes, 61 % of them as succeeded (100 like it).')
})

test('too little history is stated, and gives no forecast', () => {
  assert.equal(
    forecast(30, []).says,
    'Too little history: no operation of this operator stood in doubt for as long, and 20 are needed to tell.',
  )
  const told = forecast(30, some(LIKE_IT_MIN - 1, 'confirmed', 60))
  assert.deepEqual([told.kind, told.like_it], ['too_little_history', LIKE_IT_MIN - 1])
  assert.match(told.says, /^Too little history: only 19 operations /)
  assert.equal(forecast(30, some(LIKE_IT_MIN, 'confirmed', 60)).kind, 'told')
})

test('only operations that were still open at the same age count', () => {
  const history = [...some(500, 'confirmed', 20), ...some(20, 'refused', 7_000)]
  const told = forecast(3_600, history)
  assert.ok(told.kind === 'told')
  assert.deepEqual([told.like_it, told.within_minutes, told.ended, told.succeeded], [20, 60, 1, 0])
  assert.equal(told.says, '100 % of such end within an hour, 0 % of them as succeeded (20 like it).')
})

test('an operation that people ended counts as not ended by its operator, and a young open one does not count', () => {
  const history = [
    ...some(30, 'confirmed', 100_000, true),
    ...some(10, 'confirmed', 50),
    ...some(40, 'unknown', 700_000),
    ...some(1_000, 'unknown', 40),
  ]
  const told = forecast(30, history)
  assert.ok(told.kind === 'told')
  assert.equal(told.within_minutes, 10_080)
  assert.equal(told.says, '20 % of such end within 7 days, 100 % of them as succeeded (50 like it).')
})

test('a share is rounded to 100 % or 0 % only when it is exactly that', () => {
  assert.match(forecast(1, [...some(999, 'confirmed', 9), ...some(1, 'unknown', 1e7)]).says, /^99 % of such .* 100 %/)
  assert.match(
    forecast(1, [...some(1, 'refused', 9), ...some(999, 'unknown', 1e7)]).says,
    /^1 % of such .* 0 % of them/,
  )
})
