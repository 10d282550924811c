import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextRun, readDays, writeDays } from './schedule.ts'

const next = (every: string, at_hour: number, after: string) =>
  nextRun({ days: readDays(every)!, at_hour }, new Date(after)).toISOString()

test('the next run is the first hour of one of the days after a moment, and never that moment itself', () => {
  // 30 November 2026 is a Monday.
  assert.equal(next('day', 6, '2026-11-30T05:59:59.999Z'), '2026-11-30T06:00:00.000Z')
  assert.equal(next('day', 6, '2026-11-30T06:00:00.000Z'), '2026-12-01T06:00:00.000Z')
  assert.equal(next('mon,thu', 6, '2026-11-30T06:00:00.000Z'), '2026-12-03T06:00:00.000Z')
  assert.equal(next('mon', 0, '2026-11-30T00:00:00.000Z'), '2026-12-07T00:00:00.000Z')
  assert.equal(next('sun', 23, '2026-12-31T12:00:00.000Z'), '2027-01-03T23:00:00.000Z')
})

test('days are read in any order and written in that of the week; other words are not read', () => {
  assert.equal(writeDays(readDays('thu,MON')!), 'mon,thu')
  assert.equal(writeDays(readDays('day')!), 'day')
  assert.equal(writeDays(readDays('mon,tue,wed,thu,fri,sat,sun')!), 'day')
  for (const wrong of ['', 'business', 'mon,', 'monday', 'day,mon', 'mon;thu'])
    assert.equal(readDays(wrong), null, wrong)
})
