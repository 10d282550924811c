import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isoText } from './clock.ts'

test('a moment is written as itself, whatever was written before', () => {
  const [early, late] = [new Date('2026-01-31T23:59:59.999Z'), new Date('2026-02-01T00:00:00.000Z')]
  for (const moment of [early, late, early, early, new Date(0), late])
    assert.equal(isoText(moment), moment.toISOString())
  assert.throws(() => isoText(new Date(Number.NaN)), RangeError)
  assert.equal(isoText(late), '2026-02-01T00:00:00.000Z')
})
