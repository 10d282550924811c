import assert from 'node:assert/strict'
import { test } from 'node:test'
import { duePulls } from './due-pulls.ts'

test('the list of a day is asked for at half past midnight, and again on the third and the tenth day', () => {
  const at = (time: string) => duePulls(new Date(time), '2026-11-27')
  assert.deepEqual(at('2026-11-28T00:29:59Z'), [])
  assert.deepEqual(at('2026-11-28T00:30:00Z'), [{ day: '2026-11-27', nth: 1 }])
  const third = [
    { day: '2026-11-29', nth: 1 },
    { day: '2026-11-28', nth: 1 },
    { day: '2026-11-27', nth: 2 },
  ]
  assert.deepEqual(at('2026-11-30T12:00:00Z'), third)
  assert.deepEqual(at('2026-12-07T00:30:00Z').at(-1), { day: '2026-11-27', nth: 3 })
  assert.equal(at('2027-03-01T00:30:00Z').length, 14, 'a long stop asks for the last two weeks')
})
