import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sayIn } from '../../console/say.ts'
import { outcomeOf } from './delivery-views.ts'

const attempt = (status_code: number | null) =>
  ({ status_code, error: null, duration_ms: 12 }) as Parameters<typeof outcomeOf>[1]

test('an attempt that a server redirects says so with the remedy, and another answer is its status', () => {
  for (const status of [301, 302, 307, 308]) {
    assert.match(
      outcomeOf(sayIn('fr'), attempt(status)),
      new RegExp(`^${status} en 12\u00a0ms\u00a0: .*adresse finale`),
    )
    assert.match(
      outcomeOf(sayIn('en'), attempt(status)),
      /redirects, and a delivery does not follow\. Give the final address\.$/,
    )
  }
  for (const status of [200, 300, 304, 404, 500])
    assert.equal(outcomeOf(sayIn('en'), attempt(status)), `${status} in 12\u00a0ms`)
})
