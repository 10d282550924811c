import type { Log } from '../../platform/log.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { type PeriodicTask, runEvery } from '../../platform/run-every.ts'
import { ROWS_OF_A_DAY } from './due-rows.ts'
import { type Counts, noWeather, type Place, type Weather, weatherOf } from './weather.ts'
import { readWindow } from './weather-store.ts'

/** Milliseconds between two looks at the last quarter of an hour, and at least between two at the last day. */
const PAUSE_MS = 5_000
const DAY_PAUSE_MS = 30_000
/** Rows before the one under way: with it, 15 to 20 minutes. */
const ROWS_OF_A_QUARTER = 3

/** The two windows in which the weather is told. */
export type RecentWeather = { last_15_minutes: Weather; last_24_hours: Weather }

/**
 * The weather as merchants are told it: shares to a hundredth, and not of how many operations. Those are of all merchants, and their number
 * is the company's own affair.
 */
export type ToldWeather = { last_15_minutes: ToldWindow; last_24_hours: ToldWindow }
type ToldWindow = Omit<Weather, 'operations'>

/** Leaves out of the weather what merchants are not told. Pure. */
export function tellWeather({ last_15_minutes, last_24_hours }: RecentWeather): ToldWeather {
  return { last_15_minutes: tellWindow(last_15_minutes), last_24_hours: tellWindow(last_24_hours) }
}

function tellWindow({ success_rate, in_doubt_rate, median_seconds, p95_seconds }: Weather): ToldWindow {
  const hundredth = (share: number | null) => (share === null ? null : Math.round(share * 100) / 100)
  return { success_rate: hundredth(success_rate), in_doubt_rate: hundredth(in_doubt_rate), median_seconds, p95_seconds }
}

/** The weather as this process last read it. Every look is at memory. */
export type WeatherReport = {
  at(place: Place): RecentWeather
  /** Every operator and direction that had operations in the last 24 hours. */
  all(): readonly (Place & RecentWeather)[]
}

/** A service that has seen no operation. */
export const noReport: WeatherReport = {
  at: () => ({ last_15_minutes: noWeather, last_24_hours: noWeather }),
  all: () => [],
}

/** The weather as the rows tell it now. */
export function readWeather(db: Db): Promise<WeatherReport> {
  return createReadWeather(db)()
}

/**
 * For a process that reads the weather again and again. The last quarter of an hour is read each time, in milliseconds; the last day, which takes
 * a good hundred times as many rows and changes slowly, once in a while.
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

/** Pure. */
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

/** Reads the weather again and again until stopped. Until the first reading, and while the database is away, what was known stays. */
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
