import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SessionDoor } from './session.ts'
import { standingOf } from './session-limits.ts'

const MINUTE = 60_000
const created_at = new Date(1_800_000_000_000)
const at = (minutes: number) => new Date(created_at.getTime() + minutes * MINUTE)
const stands = (minutes: number, seen: number, staff: boolean, door: SessionDoor = 'console') =>
  standingOf({ door, created_at, seen_at: at(seen), staff }, at(minutes).getTime())

test('a session ends when it was idle or open for too long, sooner with a role in the staff or at the command line', () => {
  const over = (reason: string) => ({ kind: 'over', reason })
  for (const [staff, door, idle, age] of [
    [false, 'console', 30, 12 * 60],
    [true, 'console', 15, 8 * 60],
    [false, 'command_line', 15, 8 * 60],
  ] as const) {
    assert.equal(stands(idle - 0.01, 0, staff, door).kind, 'open')
    assert.deepEqual(stands(idle, 0, staff, door), over('idle'))
    assert.equal(stands(age - 0.01, age - 1, staff, door).kind, 'open')
    assert.deepEqual(stands(age, age - 1, staff, door), over('too_old'))
  }
})

test('a request is noted after a minute, and the end moves on with what is noted', () => {
  assert.deepEqual(stands(100.5, 100, false), { kind: 'open', ends_at: at(130), note: false })
  assert.deepEqual(stands(101, 100, false), { kind: 'open', ends_at: at(131), note: true })
  assert.deepEqual(stands(719, 710, false), { kind: 'open', ends_at: at(720), note: true })
})
