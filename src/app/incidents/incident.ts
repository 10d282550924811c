import type { Traffic } from '../../operators/weather/traffic-store.ts'

/** Minutes of interruption, and the share of a day's volume or users, from which an incident is major (BCEAO 001-01-2024, article 3, 26). */
const INTERRUPTION_MINUTES = 240
const SHARE = 0.25
/** Hours from the detection until the detailed report is due (article 84), and those at which people are reminded of it. */
export const REPORT_HOURS = 72
export const REMINDER_HOURS = [24, 48, 66] as const

export type Threshold = 'interruption_over_4_h' | 'volume_25' | 'users_25' | 'security'

export type IncidentRow = {
  id: string
  began_at: Date
  detected_at: Date
  ended_at: Date | null
  rules: string[]
  /** The person who opened it, with a title. Null: rules did. */
  opened_by: string | null
  title: string | null
  security: boolean
  told_hours: number[]
}

/**
 * The extent of an incident. `minutes_unknown` lie before the oldest figures that are kept, and count as neither up nor down. Shares of an
 * average day of four same weekdays; null: those days had no traffic.
 */
export type Extent = {
  readonly minutes_unknown: number
  readonly minutes_down: { readonly ours: number; readonly operators: Readonly<Record<string, number>> }
  readonly share: { readonly volume: number | null; readonly users: number | null }
}

/** The traffic during the incident, and at the same time of four same weekdays before with the whole days. */
export type Compared = {
  readonly during: Traffic
  readonly same_time: readonly Traffic[]
  readonly days: readonly Traffic[]
}

/** The part of an average day that an incident took away. Pure. */
export function shareLost({ during, same_time, days }: Compared): Extent['share'] {
  const mean = (of: readonly Traffic[], field: keyof Traffic) =>
    of.reduce((sum, one) => sum + one[field], 0) / of.length
  const share = (field: keyof Traffic) => {
    const day = mean(days, field)
    if (!(day > 0)) return null
    return Math.round(Math.max(0, (mean(same_time, field) - during[field]) / day) * 1_000) / 1_000
  }
  return { volume: share('volume'), users: share('users') }
}

/** The thresholds of a major incident that it meets. Pure. */
export function thresholdsMet(
  { minutes_down, share }: Extent,
  { security }: Pick<IncidentRow, 'security'>,
): Threshold[] {
  const met: Threshold[] = []
  if (minutes_down.ours > INTERRUPTION_MINUTES) met.push('interruption_over_4_h')
  if ((share.volume ?? 0) >= SHARE) met.push('volume_25')
  if ((share.users ?? 0) >= SHARE) met.push('users_25')
  if (security) met.push('security')
  return met
}

/** The reminders that are due and were not given, in hours. Pure. */
export function dueReminders(
  { detected_at, told_hours }: Pick<IncidentRow, 'detected_at' | 'told_hours'>,
  now: Date,
): number[] {
  const hours = (now.getTime() - detected_at.getTime()) / 3_600_000
  return REMINDER_HOURS.filter((hour) => hours >= hour && !told_hours.includes(hour))
}
