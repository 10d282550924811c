import assert from 'node:assert/strict'
import { test } from 'node:test'
import { standingOf } from './session-limits.ts'

const MINUTE = 60_000
const created_at = new Date(1_800_000_000_000)
const at = (minutes: number) => new Date(created_at.getTime() + minutes * MINUTE)
const stands = (minutes: number, seen: number, staff: boolean) =>
  standingOf({ created_at, seen_at: at(seen), staff }, at(minutes).getTime())

test('a session ends when it was idle or open for too long, sooner with a role in the staff', () => {
  const over = (reason: string) => ({ kind: 'over', reason })
  for (const [staff, idle, age] of [
    [false, 30, 12 * 60],
    [true, 15, 8 * 60],
  ] as const) {
    assert.equal(stands(idle - 0.01, 0, staff).kind, 'open')
    assert.deepEqual(stands(idle, 0, staff), over('idle'))
    assert.equal(stands(age - 0.01, age - 1, staff).kind, 'open')
    assert.deepEqual(stands(age, age - 1, staff), over('too_old'))
  }
})

test('a request is noted after a minute, and the end moves on with what is noted', () => {
  assert.deepEqual(stands(100.5, 100, false), { kind: 'open', ends_at: at(130), note: false })
  assert.deepEqual(stands(101, 100, false), { kind: 'open', ends_at: at(131), note: true })
  assert.deepEqual(stands(719, 710, false), { kind: 'open', ends_at: at(720), note: true })
})
