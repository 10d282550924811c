import type { Log } from '../../platform/log.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { type PeriodicTask, runEvery } from '../../platform/run-every.ts'
import { ROWS_OF_A_DAY } from './due-rows.ts'
import { type Counts, noWeather, type Place, type Weather, weatherOf } from './weather.ts'
import { readWindow } from './weather-store.ts'

/** Milliseconds between two reads of the last quarter of an hour, and the fewest between two reads of the last day. */
const PAUSE_MS = 5_000
const DAY_PAUSE_MS = 30_000
/** Rows before the current one. With it they cover 15 to 20 minutes. */
const ROWS_OF_A_QUARTER = 3

/** The two windows of the weather. */
export type RecentWeather = { last_15_minutes: Weather; last_24_hours: Weather }

/**
 * The weather as merchants see it: shares rounded to a hundredth, without the number of operations. That number covers
 * all merchants and is confidential.
 */
export type ToldWeather = { last_15_minutes: ToldWindow; last_24_hours: ToldWindow }
type ToldWindow = Omit<Weather, 'operations'>

/** Leaves out the figures that merchants must not see. Pure. */
export function tellWeather({ last_15_minutes, last_24_hours }: RecentWeather): ToldWeather {
  return { last_15_minutes: tellWindow(last_15_minutes), last_24_hours: tellWindow(last_24_hours) }
}

function tellWindow({ success_rate, in_doubt_rate, median_seconds, p95_seconds }: Weather): ToldWindow {
  const hundredth = (share: number | null) => (share === null ? null : Math.round(share * 100) / 100)
  return { success_rate: hundredth(success_rate), in_doubt_rate: hundredth(in_doubt_rate), median_seconds, p95_seconds }
}

/** The weather that this process last read, in memory. */
export type WeatherReport = {
  at(place: Place): RecentWeather
  /** Every operator and direction that had operations in the last 24 hours. */
  all(): readonly (Place & RecentWeather)[]
}

/** The report of a service without operations. */
export const noReport: WeatherReport = {
  at: () => ({ last_15_minutes: noWeather, last_24_hours: noWeather }),
  all: () => [],
}

/** Reads the weather from its rows, once. */
export function readWeather(db: Db): Promise<WeatherReport> {
  return createReadWeather(db)()
}

/**
 * Creates the reader for a process that reads the weather repeatedly. Each call reads the last quarter of an hour. The
 * last day has 72 times as many rows and changes slowly, so it is read every `DAY_PAUSE_MS` at most.
 */
export function createReadWeather(db: Db): () => Promise<WeatherReport> {
  let day: { rows: (Place & Counts)[]; read_at: number } | null = null
  return async () => {
    if (day === null || performance.now() - day.read_at >= DAY_PAUSE_MS) {
      day = { rows: await readWindow(db, ROWS_OF_A_DAY - 1), read_at: performance.now() }
    }
    return reportOf(await readWindow(db, ROWS_OF_A_QUARTER), day.rows)
  }
}

/** Joins the rows of both windows. Pure. */
function reportOf(quarter: readonly (Place & Counts)[], day: readonly (Place & Counts)[]): WeatherReport {
  const lately = new Map(quarter.map((row) => [placeText(row), weatherOf(row)]))
  const all = day.map(({ livemode, operator, direction, ...counts }) => ({
    livemode,
    operator,
    direction,
    last_15_minutes: lately.get(placeText({ livemode, operator, direction })) ?? noWeather,
    last_24_hours: weatherOf(counts),
  }))
  const places = new Map(all.map((one) => [placeText(one), one]))
  return {
    at(place) {
      const known = places.get(placeText(place))
      return {
        last_15_minutes: lately.get(placeText(place)) ?? noWeather,
        last_24_hours: known?.last_24_hours ?? noWeather,
      }
    },
    all: () => all,
  }
}

/**
 * Reads the weather periodically until stopped. Before the first read the report is empty. While the database is
 * unavailable, the last report stays.
 */
export function followWeather({ sql, log }: { sql: Db; log: Log }): WeatherReport & PeriodicTask {
  const read = createReadWeather(sql)
  let report = noReport
  const task = runEvery("operators' weather", PAUSE_MS, log, async () => {
    report = await read()
  })
  return { at: (place) => report.at(place), all: () => report.all(), stop: task.stop }
}

function placeText({ livemode, operator, direction }: Place): string {
  return `${livemode} ${operator} ${direction}`
}
