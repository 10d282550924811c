import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CountedRow, dueRows, ROWS_OF_A_DAY } from './due-rows.ts'

const MINUTE = 60_000
/** In the middle of a row. */
const now = Date.UTC(2026, 10, 24, 12, 2)
const newest = Date.UTC(2026, 10, 24, 12, 0)

/** Every row of the day, counted when it was this old, with so many operations open. */
function counted(age_when_counted: number, open = 0): Map<number, CountedRow> {
  const starts = Array.from({ length: ROWS_OF_A_DAY }, (_, nth) => newest - nth * 5 * MINUTE)
  return new Map(starts.map((at) => [at, { counted_at: Math.min(now, at + age_when_counted), open }]))
}

test('after a start every row of the last 24 hours is counted, the newest first', () => {
  const due = dueRows(now, new Map())
  assert.deepEqual([due.length, due[0], due.at(-1)], [288, newest, newest - 287 * 5 * MINUTE])
})

test('a row that was counted once it had settled, with nothing open, is final', () => {
  assert.deepEqual(dueRows(now + 30_000, counted(20 * MINUTE)), [newest])
})

test('a row last counted while operations could still join it is counted again', () => {
  const rows = counted(20 * MINUTE)
  const early = newest - 100 * 5 * MINUTE
  rows.set(early, { counted_at: early + 2 * MINUTE, open: 0 })
  assert.deepEqual(dueRows(now, rows), [early])
})

test('a row with open operations is counted again once it is an eighth older', () => {
  const rows = counted(20 * MINUTE)
  const open = newest - 24 * 5 * MINUTE
  const age = now - open
  rows.set(open, { counted_at: now - age / 9, open: 1 })
  assert.deepEqual(dueRows(now, rows), [])
  rows.set(open, { counted_at: now - age / 8, open: 1 })
  assert.deepEqual(dueRows(now, rows), [open])
})

test('a count dated in the future, from before the clock was set back, is repeated', () => {
  const rows = counted(20 * MINUTE)
  rows.set(newest, { counted_at: now + 60 * MINUTE, open: 1 })
  assert.deepEqual(dueRows(now, rows), [newest])
})
