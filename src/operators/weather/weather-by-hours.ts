import type { Db } from '../../platform/postgres/database.ts'
import { type RecentWeather, readWeather } from './follow-weather.ts'
import type { Place } from './weather.ts'
import { type HourRow, readHours } from './weather-store.ts'

/** One hour of the last day. Its rate is given however few operations it has, because people see their number. */
export type Hour = { starts_at: Date; operations: number; success_rate: number | null }

/** The weather of one place, with its last 24 hours, oldest first. */
export type PlaceByHours = Place & RecentWeather & { hours: Hour[] }

/** Reads the weather by hours, for people. */
export async function readWeatherByHours(db: Db): Promise<PlaceByHours[]> {
  const [report, { ends_at, rows }] = await Promise.all([readWeather(db), readHours(db)])
  return report.all().map((place) => {
    const { livemode, operator, direction } = place
    const own = rows.filter(
      (row) => row.livemode === livemode && row.operator === operator && row.direction === direction,
    )
    return { ...place, hours: hoursUpTo(ends_at, own) }
  })
}

/** The 24 hours up to `ends_at`, from the rows of one place. Pure. */
export function hoursUpTo(
  ends_at: Date,
  rows: readonly Pick<HourRow, 'hours_ago' | 'succeeded' | 'operations'>[],
): Hour[] {
  return Array.from({ length: 24 }, (_, at) => {
    const hours_ago = 23 - at
    const { succeeded = 0, operations = 0 } = rows.find((row) => row.hours_ago === hours_ago) ?? {}
    return {
      starts_at: new Date(ends_at.getTime() - (hours_ago + 1) * 3_600_000),
      operations,
      success_rate: operations === 0 ? null : succeeded / operations,
    }
  })
}
