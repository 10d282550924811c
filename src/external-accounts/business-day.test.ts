import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addBusinessDays, calendarDay, daysCovered, type EnteredDay, nextBusinessDay } from './business-day.ts'
import { easterOf, holidaysOf } from './holidays.ts'

const none = new Map<string, EnteredDay>()
const holiday = (day: string, name: string) => [day, { day, business: false, name }] as const

test('Easter falls on the Sundays that the church has published', () => {
  const published = [
    '1961-04-02',
    '2000-04-23',
    '2008-03-23',
    '2024-03-31',
    '2025-04-20',
    '2026-04-05',
    '2027-03-28',
    '2038-04-25',
  ]
  assert.deepEqual(
    published.map((day) => easterOf(Number(day.slice(0, 4)))),
    published,
  )
})

test('a year has ten holidays, and the Monday after a national or a labour day on a Sunday', () => {
  assert.deepEqual([...holidaysOf(2027).keys()].toSorted(), [
    ...['2027-01-01', '2027-03-29', '2027-05-01', '2027-05-06', '2027-05-17'],
    ...['2027-08-07', '2027-08-15', '2027-11-01', '2027-11-15', '2027-12-25'],
  ])
  // Assumption 2027 is a Sunday, and the Monday after it is none.
  assert.equal(calendarDay('2027-08-16', none).business, true)
  assert.equal(calendarDay('2022-08-08', none).name, 'Lendemain : Fête nationale')
  assert.equal(calendarDay('2022-05-02', none).business, false)
})

test('the next business day passes weekends, holidays and what people entered', () => {
  assert.equal(nextBusinessDay('2027-03-26', none), '2027-03-30')
  assert.equal(nextBusinessDay('2027-12-31', none), '2028-01-03')
  const tabaski = new Map([holiday('2027-05-18', 'Tabaski')])
  assert.equal(nextBusinessDay('2027-05-14', tabaski), '2027-05-19')
  const open = new Map([['2027-05-15', { day: '2027-05-15', business: true, name: null }]])
  assert.equal(nextBusinessDay('2027-05-14', open), '2027-05-15')
  assert.equal(addBusinessDays('2027-03-26', 3, none), '2027-04-01')
  assert.equal(addBusinessDays('2027-03-27', 0, none), '2027-03-27')
})

test('a business day covers each day since the one before, so that every day is covered once', () => {
  assert.deepEqual(daysCovered('2027-03-30', none), ['2027-03-27', '2027-03-28', '2027-03-29', '2027-03-30'])
  assert.deepEqual(daysCovered('2027-03-31', none), ['2027-03-31'])
  assert.deepEqual(daysCovered('2027-03-28', none), [])
  const entered = new Map([holiday('2026-12-28', 'Un décret'), holiday('2027-03-10', 'Fin du Ramadan')])
  const covered: string[] = []
  for (
    let day = '2026-12-01';
    day <= '2028-03-31';
    day = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
  )
    covered.push(...daysCovered(day, entered))
  assert.equal(covered.length, 487)
  assert.deepEqual(covered, [...new Set(covered)].toSorted())
})

test('a calendar without any business day is an error and no endless search', () => {
  const years = Array.from({ length: 100 }, (_, at) => new Date(Date.UTC(2027, 0, 1 + at)).toISOString().slice(0, 10))
  const closed = new Map(years.map((day) => holiday(day, 'Fermé')))
  assert.throws(() => nextBusinessDay('2027-01-05', closed), /No business day/)
})
