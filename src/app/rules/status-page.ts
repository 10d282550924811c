import type { Config } from '../../platform/config.ts'
import type { MetricsPage } from '../../platform/metrics.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { readHistory, readStatus } from './read-status.ts'

/** Most days of figures: older ones are dropped. */
const DAYS_MAX = 35

/** The page `/status` beside `/metrics`: the status, and with `?days=N` the five-minute figures of so many days. */
export function statusPage(db: Sql, config: Pick<Config, 'simulator_delay_ms'>): MetricsPage {
  return {
    type: 'application/json',
    async read(query) {
      const status = await readStatus(db, config)
      const days = Math.min(DAYS_MAX, Math.max(0, Number.parseInt(query.get('days') ?? '0', 10) || 0))
      return JSON.stringify(days === 0 ? status : { ...status, figures: await readHistory(db, days) })
    },
  }
}
