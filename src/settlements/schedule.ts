import type { Tenant } from '../values/caller.ts'

/** The days of a week, Monday first, as the command names them. */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof weekdays)[number]

/** The days of a schedule, in their order: all seven mean every day. */
export type Days = readonly Weekday[]

/** Reads `day`, or days such as `mon,thu`. Null when it is neither. */
export function readDays(typed: string): Days | null {
  if (typed === 'day') return weekdays
  const named = typed.split(',').map((one) => one.trim().toLowerCase())
  const days = weekdays.filter((one) => named.includes(one))
  return days.length > 0 && named.every((one) => (weekdays as readonly string[]).includes(one)) ? days : null
}

/** Writes them as `readDays` reads them. */
export function writeDays(days: Days): string {
  return days.length === weekdays.length ? 'day' : days.join()
}

/**
 * Why a run asked for nothing: no destination is designated, the merchant is not checked and proved another number, the designated one cools, there is
 * too little above the floor, or the merchant is suspended.
 */
export type RunOutcome = 'asked' | 'no_destination' | 'unchecked' | 'cooling' | 'too_little' | 'merchant_inactive'

/** A merchant's withdrawals at a fixed hour. One a mode; it ends by being removed. */
export type ScheduleRow = Tenant & {
  days: Days
  /** In Abidjan, which is on UTC all year. */
  at_hour: number
  /** Francs that stay available. */
  keep: number
  /** The person who set it, and the maker of its requests. */
  set_by: string
  set_at: Date
  next_at: Date
  last_at: Date | null
  last_outcome: RunOutcome | null
  /** The settlement that the last run asked for. */
  last_settlement_id: string | null
}

/** The first moment of a schedule after another one, in whole hours. Pure. */
export function nextRun({ days, at_hour }: Pick<ScheduleRow, 'days' | 'at_hour'>, after: Date): Date {
  for (let ahead = 0; ahead <= 7; ahead++) {
    const at = new Date(Date.UTC(after.getUTCFullYear(), after.getUTCMonth(), after.getUTCDate() + ahead, at_hour))
    if (at > after && days.includes(weekdays[(at.getUTCDay() + 6) % 7]!)) return at
  }
  throw new Error('A schedule has a day of the week.')
}
