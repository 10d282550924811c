import { Gauge, type Registry as Metrics } from 'prom-client'
import type { Db } from '../../platform/postgres/database.ts'
import { floatWarnings, readNewest } from './float-store.ts'

/** Registers the metrics of the balances that operators last reported. Returns the function that updates them. */
export function measureFloats(metrics: Metrics): (db: Db) => Promise<void> {
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name, help, labelNames: [...labelNames], registers: [metrics] })
  const balance = gauge('bandama_connector_balance_francs', 'Our money at the operator, as it told last.', [
    'connector',
  ])
  const difference = gauge(
    'bandama_connector_balance_difference_francs',
    'By how much the balance is outside of what was expected; 0 within it.',
    ['connector'],
  )
  const warned = gauge('bandama_connector_float_warning', '1 while somebody should look at the balance.', [
    'connector',
    'warning',
  ])
  return async (db) => {
    const rows = await readNewest(db)
    for (const one of [balance, difference, warned]) one.reset()
    for (const row of rows) {
      const { connector } = row
      balance.set({ connector }, row.amount)
      if (row.difference !== null) difference.set({ connector }, row.difference)
      for (const warning of floatWarnings) warned.set({ connector, warning }, row.warnings.includes(warning) ? 1 : 0)
    }
  }
}
