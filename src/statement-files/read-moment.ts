import type { DateForm } from './profile.ts'

const TIME = String.raw`(?:[T ,]+(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*([AP]M)?\s*(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?`
const yearFirst = new RegExp(String.raw`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})${TIME}$`, 'i')
const digits = new RegExp(String.raw`^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d\d)${TIME}$`, 'i')
const named = new RegExp(String.raw`^([a-z]{3})[a-z]*\.? (\d{1,2}),? (\d{4})${TIME}$`, 'i')
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/**
 * Reads a moment as `YYYY-MM-DDTHH:MM:SSZ`. A text without a time means midnight, one without a zone the time of Abidjan, which is UTC. Null when it is none.
 * @param form the order of a date in digits
 */
export function readMoment(text: string, form: DateForm): string | null {
  const bare = text.trim()
  const [, year, month, day, ...time] = yearFirst.exec(bare) ?? []
  if (year !== undefined) return momentOf(year, month!, day!, time)
  const [, name, nth, its_year, ...its_time] = named.exec(bare) ?? []
  if (name !== undefined) {
    const at = months.indexOf(name.toLowerCase())
    return at === -1 ? null : momentOf(its_year!, String(at + 1), nth!, its_time)
  }
  if (form === 'year_first') return null
  const [, first, second, last, ...rest] = digits.exec(bare) ?? []
  if (last === undefined) return null
  const full = last.length === 2 ? `20${last}` : last
  return form === 'day_first' ? momentOf(full, second!, first!, rest) : momentOf(full, first!, second!, rest)
}

/** Returns the moment of a workbook's date. Null outside the years 2000 to 2099. @param serial days since 1899-12-30 */
export function momentOfSerial(serial: number): string | null {
  if (!(serial >= 36_526 && serial < 73_051)) return null
  const seconds = Math.round(serial * 86_400)
  return new Date(Date.UTC(1899, 11, 30) + seconds * 1_000).toISOString().replace('.000', '')
}

function momentOf(year: string, month: string, day: string, time: readonly (string | undefined)[]): string | null {
  const [hour = '0', minute = '00', second = '00', half, zone] = time
  const two = (text: string) => text.padStart(2, '0')
  const date = `${year}-${two(month)}-${two(day)}`
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0)
  const moment = new Date(`${date}T${two(String(hours))}:${minute}:${second}Z`)
  // `Date` would read the 31st of a shorter month as a day of the next.
  if (Number.isNaN(moment.getTime()) || moment.toISOString().slice(0, 10) !== date) return null
  if (year < '2000' || year > '2099') return null
  const [, sign, ahead = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone ?? '') ?? []
  const shift = (Number(ahead) * 60 + Number(minutes)) * (sign === '-' ? 60_000 : -60_000)
  return new Date(moment.getTime() + shift).toISOString().replace('.000', '')
}
