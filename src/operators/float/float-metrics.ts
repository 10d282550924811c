import { Gauge, type Registry as Metrics } from 'prom-client'
import type { Db } from '../../platform/postgres/database.ts'
import { listConnectors } from '../contracts/find-connectors.ts'
import { connectorWarnings, warningsOf } from './connector-warnings.ts'
import { readNewest } from './float-store.ts'

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
  const warned = gauge(
    'bandama_connector_float_warning',
    '1 while somebody should look at the balance or the settings.',
    ['connector', 'warning'],
  )
  return async (db) => {
    const [rows, connectors] = await Promise.all([readNewest(db), listConnectors(db)])
    for (const one of [balance, difference, warned]) one.reset()
    for (const row of rows) {
      const { connector } = row
      balance.set({ connector }, row.amount)
      if (row.difference !== null) difference.set({ connector }, row.difference)
    }
    for (const one of connectors.filter(({ removed_at }) => removed_at === null)) {
      const warnings = warningsOf(one, rows.find(({ connector }) => connector === one.name) ?? null)
      for (const warning of connectorWarnings)
        warned.set({ connector: one.name, warning }, warnings.includes(warning) ? 1 : 0)
    }
  }
}
