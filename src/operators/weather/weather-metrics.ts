import { Gauge, type Registry as Metrics } from 'prom-client'
import type { WeatherReport } from './follow-weather.ts'
import type { Place, Weather } from './weather.ts'

/**
 * Registers the metrics of operators' weather. Returns the function that sets them. Rates and times from too few
 * operations are left out.
 */
export function createWeatherMetrics(metrics: Metrics): (report: Pick<WeatherReport, 'all'>) => void {
  const labelNames = ['mode', 'operator', 'direction', 'window'] as const
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames, registers: [metrics] })
  const operations = gauge('bandama_operator_operations', 'Operations that tell something of the operator.')
  const success = gauge('bandama_operator_success_ratio', 'Share of them that succeeded, from 0 to 1.')
  const in_doubt = gauge('bandama_operator_in_doubt_ratio', 'Share of them of which nobody knows what became.')
  const seconds = new Gauge({
    name: 'bandama_operator_confirmation_seconds',
    help: 'From the send until the part of those that succeeded that quantile names was confirmed.',
    labelNames: [...labelNames, 'quantile'] as const,
    registers: [metrics],
  })

  function set({ livemode, operator, direction }: Place, window: string, weather: Weather): void {
    const labels = { mode: livemode ? 'live' : 'test', operator, direction, window }
    operations.set(labels, weather.operations)
    if (weather.success_rate !== null) success.set(labels, weather.success_rate)
    if (weather.in_doubt_rate !== null) in_doubt.set(labels, weather.in_doubt_rate)
    if (weather.median_seconds !== null) seconds.set({ ...labels, quantile: '0.5' }, weather.median_seconds)
    if (weather.p95_seconds !== null) seconds.set({ ...labels, quantile: '0.95' }, weather.p95_seconds)
  }

  return (report) => {
    for (const one of [operations, success, in_doubt, seconds]) one.reset()
    for (const { last_15_minutes, last_24_hours, ...place } of report.all()) {
      set(place, '15m', last_15_minutes)
      set(place, '24h', last_24_hours)
    }
  }
}
