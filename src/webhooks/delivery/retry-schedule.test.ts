import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextDelaySeconds, RETRY_DELAYS_SECONDS } from './retry-schedule.ts'

test('twelve retries over 72 hours, each within ten percent', () => {
  const total = RETRY_DELAYS_SECONDS.reduce((sum, delay) => sum + delay, 0)
  assert.equal(RETRY_DELAYS_SECONDS.length, 12)
  assert.ok(Math.abs(total - 72 * 3_600) < 3_600, `${total / 3_600} hours`)
  RETRY_DELAYS_SECONDS.forEach((delay, at) => {
    assert.equal(nextDelaySeconds(at + 1, null, 0), delay * 0.9)
    assert.equal(nextDelaySeconds(at + 1, null, 0.5), delay)
    assert.ok(Math.abs(nextDelaySeconds(at + 1, null, 1)! - delay * 1.1) < 1e-6)
  })
  assert.equal(nextDelaySeconds(13, null, 0.5), null)
})

test('Retry-After is waited for, but no longer than the delay after this one', () => {
  const table: [made: number, asked: number, delay: number][] = [
    [1, 0, 10],
    [1, 5, 10],
    [1, 20, 20],
    [1, 30, 30],
    [1, 3_600, 30],
    [2, 60, 60],
    [3, 3_600, 600],
    [12, 1_000_000, 86_400],
  ]
  for (const [made, asked, delay] of table) assert.equal(nextDelaySeconds(made, asked, 0.5), delay, `${made} ${asked}`)
  assert.equal(nextDelaySeconds(13, 60, 0.5), null)
})
