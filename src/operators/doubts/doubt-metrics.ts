import { Gauge, type Registry } from 'prom-client'
import type { Db } from '../../platform/postgres/database.ts'
import { readDoubtFigures, readOpenAnomalies, readSlowPayouts } from './doubt-figures.ts'
import type { Silences } from './doubt-store.ts'

const modeOf = (livemode: boolean) => (livemode ? 'live' : 'test')

/** Makes the metrics of orders without an outcome and of open anomalies. Returns the function that reads them. */
export function measureDoubts(metrics: Registry, silences: Silences): (db: Db) => Promise<void> {
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers: [metrics] })
  const count = gauge('bandama_doubts', 'Operations in doubt; 10 000 at most are counted.', ['mode'])
  const oldest = gauge('bandama_doubt_oldest_seconds', 'Seconds since the oldest of them was sent; 0: there is none.', [
    'mode',
  ])
  const francs = gauge('bandama_doubt_francs', 'Their amounts together.', ['mode'])
  const slow = gauge(
    'bandama_payouts_open_p95_seconds',
    'Of the payouts of the last two hours, the seconds since the send beyond which only one in twenty is still open.',
    ['mode'],
  )
  const anomalies = gauge('bandama_anomalies_open', 'Open anomalies.', ['mode', 'kind'])
  return async (db) => {
    for (const { livemode, ...doubts } of await readDoubtFigures(db, silences)) {
      const mode = modeOf(livemode)
      count.set({ mode }, doubts.count)
      oldest.set({ mode }, doubts.oldest_seconds)
      francs.set({ mode }, doubts.amount)
    }
    for (const livemode of [false, true]) slow.set({ mode: modeOf(livemode) }, await readSlowPayouts(db, livemode))
    const open = await readOpenAnomalies(db)
    anomalies.reset()
    for (const { livemode, kind, count: number } of open) anomalies.set({ mode: modeOf(livemode), kind }, number)
  }
}
