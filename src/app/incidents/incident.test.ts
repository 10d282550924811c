import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueReminders, type Extent, shareLost, thresholdsMet } from './incident.ts'

const day = (volume: number, users: number) => ({ volume, users })

test('the share is what is missing against four same weekdays, as a part of such a day', () => {
  const compared = {
    during: day(10_000, 5),
    same_time: [day(50_000, 20), day(30_000, 20), day(40_000, 10), day(40_000, 30)],
    days: [day(100_000, 50), day(100_000, 50), day(120_000, 40), day(80_000, 60)],
  }
  assert.deepEqual(shareLost(compared), { volume: 0.3, users: 0.3 })
  assert.deepEqual(shareLost({ ...compared, during: day(99_999, 99) }), { volume: 0, users: 0 }, 'more than usual')
  assert.deepEqual(
    shareLost({ ...compared, days: [day(0, 0)] }),
    { volume: null, users: null },
    'nothing to compare with',
  )
})

test('an incident is major from a quarter of volume or users, and beyond four hours', () => {
  const extent = (ours: number, volume: number | null, users: number | null): Extent => ({
    minutes_down: { ours, operators: {} },
    minutes_unknown: 10_000,
    share: { volume, users },
  })
  const security = { security: false }
  assert.deepEqual(thresholdsMet(extent(240, 0.249, null), security), [])
  assert.deepEqual(thresholdsMet(extent(0, 0, 0), { security: true }), ['security'])
  assert.deepEqual(thresholdsMet(extent(241, 0.25, 0.25), security), ['interruption_over_4_h', 'volume_25', 'users_25'])
})

test('each reminder of the report is due once its hour has come', () => {
  const detected_at = new Date(0)
  const at = (hours: number) => new Date(hours * 3_600_000)
  assert.deepEqual(dueReminders({ detected_at, told_hours: [] }, at(23.9)), [])
  assert.deepEqual(dueReminders({ detected_at, told_hours: [] }, at(48)), [24, 48])
  assert.deepEqual(dueReminders({ detected_at, told_hours: [24, 48] }, at(66)), [66])
})
