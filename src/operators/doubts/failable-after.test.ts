import assert from 'node:assert/strict'
import { test } from 'node:test'
import { promisesNothing, type ReferencePromise } from '../port.ts'
import { failableAfter } from './failable-after.ts'

test('an order can be failed once its operator’s "not found" is final, and not within 15 minutes', () => {
  const after = (promise: ReferencePromise) =>
    failableAfter({ promises: { collect: promisesNothing, payout: promise, refund: promisesNothing } }, 'payout')
  const seconds = (after_seconds: number): ReferencePromise => {
    return { same_reference: 'never_twice', not_found: { after_seconds, times: 1 } }
  }
  assert.equal(after(seconds(10)), 900_000)
  assert.equal(after(seconds(1_800)), 1_800_000)
  assert.equal(after(promisesNothing), 86_400_000)
  assert.equal(failableAfter(null, 'payout'), 86_400_000, 'nothing is known of its operator')
})
