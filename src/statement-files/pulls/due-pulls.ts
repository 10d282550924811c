import { addDays } from '../../values/period.ts'

const DAY_MS = 86_400_000
/** The lists of a day are asked for at half past midnight. */
const AFTER_MIDNIGHT_MS = 30 * 60_000
/** So many days after its day a list is asked for the first, second and third time: operators correct what they list. */
const AFTER_DAYS = [1, 3, 10] as const
/** A service that was down for some days asks for the days that it missed, once each. */
const BACK_DAYS = 14

/**
 * The lists that should have been asked for by now: of each day since the account was opened the newest time that is due. Abidjan is on UTC.
 * @param opened_on a day such as 2026-11-30, before which nothing is asked for
 */
export function duePulls(now: Date, opened_on: string): { day: string; nth: number }[] {
  const today = new Date(now.getTime() - AFTER_MIDNIGHT_MS).toISOString().slice(0, 10)
  return Array.from({ length: BACK_DAYS }, (_, at) => addDays(today, -1 - at))
    .filter((day) => day >= opened_on)
    .map((day) => {
      const age = (Date.parse(today) - Date.parse(day)) / DAY_MS
      return { day, nth: AFTER_DAYS.filter((after) => after <= age).length }
    })
}
