import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DayFigures, OperatorFigures, ReasonFigures } from '../../listings/figures-store.ts'
import { daysOf, marginOf, ratesOf, reasonsOf } from './figures.ts'
import { chartPeriod } from './period.ts'
import { labelsOf, scaleOf, writeAxis } from './plot.ts'

type Cell = DayFigures & OperatorFigures & ReasonFigures

/** Makes a cell that is part of each sum. */
const cell = (more: Partial<Cell>): Cell => ({
  ...{ day: '2026-11-24', operator: 'wave_ci', status: 'succeeded', failure_code: '', within_seconds: 5 },
  ...{ count: 1, amount: 1_000, fee_amount: 10 },
  ...more,
})

test('a day counts successful operations, including refunded ones, and failed ones separately, but none that are under way', () => {
  const figures = [
    cell({ count: 3, amount: 3_000, fee_amount: 30 }),
    cell({ status: 'refunded' }),
    cell({ status: 'failed', failure_code: 'payer_declined', within_seconds: 0, fee_amount: 0, count: 2 }),
    cell({ status: 'expired', within_seconds: 0, fee_amount: 0 }),
    cell({ status: 'pending', within_seconds: 0, fee_amount: 0, count: 9 }),
  ]
  assert.deepEqual(daysOf(figures, ['2026-11-23', '2026-11-24']), [
    { day: '2026-11-23', done: 0, amount: 0, lost: 0, fees: 0 },
    { day: '2026-11-24', done: 4, amount: 4_000, lost: 3, fees: 40 },
  ])
  assert.deepEqual(reasonsOf(figures), [
    { reason: 'payer_declined', count: 2 },
    { reason: 'expired', count: 1 },
  ])
  const [wave] = ratesOf(figures)
  assert.deepEqual([wave!.ended, wave!.done, wave!.rate], [7, 4, 4 / 7])
})

test('the median step is that of half of the confirmations, and an operator without ended operations is left out', () => {
  const rates = ratesOf([
    cell({ within_seconds: 5, count: 40 }),
    cell({ within_seconds: 10, count: 20 }),
    cell({ within_seconds: 600, count: 60 }),
    cell({ operator: 'moov_ci', status: 'pending', within_seconds: 0 }),
  ])
  assert.deepEqual(
    rates.map(({ operator, half_within_seconds }) => [operator, half_within_seconds]),
    [['wave_ci', 10]],
  )
})

test('a rate from few operations has a wide margin, always between 0 and 1', () => {
  const few = marginOf(4, 4)
  const many = marginOf(4_000, 4_000)
  assert.equal(few.rate, 1)
  assert.ok(few.least < 0.6 && few.most === 1, JSON.stringify(few))
  assert.ok(many.least > 0.998)
  assert.deepEqual(marginOf(0, 0), { rate: 0, least: 0, most: 1 })
})

test('an axis begins at zero, has few lines at whole numbers, and its largest value takes at least three quarters of it', () => {
  const scales: [number, number, number][] = [
    [0, 1, 1],
    [1, 1, 1],
    [2, 2, 2],
    [3, 3, 3],
    [37, 40, 4],
    [701, 750, 3],
    [812, 1_000, 4],
    [2_070_000, 2_500_000, 5],
    [5_746_710, 6_000_000, 3],
  ]
  for (const [most, end, lines] of scales) assert.deepEqual(scaleOf(most), { end, lines }, String(most))
  for (let most = 1; most < 3_000_000_000; most += Math.ceil(most / 60)) {
    const { end, lines } = scaleOf(most)
    assert.ok(end >= most && most >= 0.75 * end, String(most))
    assert.ok(lines <= 5 && Number.isInteger(end / lines), String(most))
  }
})

test('the figures of an axis are in one unit, with the decimal sign of the language', () => {
  const figures = (end: number, lines: number, language: 'fr' | 'en') =>
    Array.from({ length: lines + 1 }, (_, nth) => writeAxis((end / lines) * nth, { end, language }))
  assert.deepEqual(figures(1_000_000, 4, 'fr'), ['0', '0,25\u00a0M', '0,5\u00a0M', '0,75\u00a0M', '1\u00a0M'])
  assert.deepEqual(figures(7_500_000, 3, 'en'), ['0', '2.5\u00a0M', '5\u00a0M', '7.5\u00a0M'])
  assert.deepEqual(figures(3_000, 3, 'en'), ['0', '1\u202f000', '2\u202f000', '3\u202f000'])
  assert.equal(writeAxis(2_000_000_000, { end: 2_000_000_000, language: 'fr' }), '2\u202f000\u00a0M')
})

test('a period is a number of days up to today, or a month by its name', () => {
  const now = new Date('2026-11-24T10:00:00Z')
  const week = chartPeriod('7', now)
  assert.deepEqual([week.from, week.to, week.days.length], ['2026-11-18', '2026-11-24', 7])
  const month = chartPeriod('2026-11', now)
  assert.deepEqual([month.from, month.to, month.days.length, month.days_max], ['2026-11-01', '2026-11-24', 24, 30])
  assert.equal(chartPeriod('2026-02', now).to, '2026-02-28')
  for (const wrong of ['', '31', '2026-12', '2026-13', '1999-01', '../..']) {
    assert.equal(chartPeriod(wrong, now).chosen, '30', wrong)
  }
  for (const length of ['7', '30', '90', '2026-10']) {
    const { days, days_max } = chartPeriod(length, now)
    const { labels, days_max: axis } = labelsOf(days, days_max)
    assert.match(labels[0]!, length === '90' ? /^\d+\/\d+$/ : /^\d+$/)
    assert.ok(labels.length <= 14 && axis >= days_max && axis % labels.length === 0, length)
  }
})
