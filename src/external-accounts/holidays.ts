import { addDays } from '../values/period.ts'

// The holidays of Côte d'Ivoire whose date is known in advance: decree 96-205 of 7 March 1996, article 2, as changed by decree 2011-371. Four more
// follow the moon (the day after the Night of Destiny, the end of Ramadan, Tabaski, the day after the Prophet's birthday). The ministry announces
// each a few days before, and a person enters it.

const fixed: readonly (readonly [string, string])[] = [
  ['01-01', 'Jour de l’An'],
  ['05-01', 'Fête du Travail'],
  ['08-07', 'Fête nationale'],
  ['08-15', 'Assomption'],
  ['11-01', 'Toussaint'],
  ['11-15', 'Journée nationale de la Paix'],
  ['12-25', 'Noël'],
]

/** The two after which Monday is a holiday when they fall on a Sunday. */
const followed: ReadonlySet<string> = new Set(['05-01', '08-07'])

const afterEaster: readonly (readonly [number, string])[] = [
  [1, 'Lundi de Pâques'],
  [39, 'Ascension'],
  [50, 'Lundi de Pentecôte'],
]

const known = new Map<number, ReadonlyMap<string, string>>()

/** The holidays of a year with a fixed date or derived from Easter, by day, with their French names. */
export function holidaysOf(year: number): ReadonlyMap<string, string> {
  const found = known.get(year)
  if (found !== undefined) return found
  const holidays = new Map<string, string>()
  const easter = easterOf(year)
  for (const [days, name] of afterEaster) holidays.set(addDays(easter, days), name)
  for (const [date, name] of fixed) {
    const day = `${yearText(year)}-${date}`
    holidays.set(day, name)
    const isSunday = new Date(`${day}T00:00:00Z`).getUTCDay() === 0
    if (isSunday && followed.has(date)) holidays.set(addDays(day, 1), `Lendemain : ${name}`)
  }
  if (known.size < 300) known.set(year, holidays)
  return holidays
}

/** Easter Sunday of a year of the Gregorian calendar, by the method of Meeus, Jones and Butcher. */
export function easterOf(year: number): string {
  const moon = year % 19
  const [century, rest] = [Math.floor(year / 100), year % 100]
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3)
  const epact = (19 * moon + century - Math.floor(century / 4) - correction + 15) % 30
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(rest / 4) - epact - (rest % 4)) % 7
  const late = Math.floor((moon + 11 * epact + 22 * weekday) / 451)
  const days = epact + weekday - 7 * late + 114
  const [month, day] = [Math.floor(days / 31), (days % 31) + 1]
  return `${yearText(year)}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}

const yearText = (year: number) => String(year).padStart(4, '0')
