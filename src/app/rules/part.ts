import type { Metric, Registry } from 'prom-client'
import { RATE_SECONDS, type Rule, type Series } from './rule.ts'

/** The contribution of one process to a rule: a value, or for a rate its increase, in so many seconds, and that of the whole. */
export type Part = { readonly value: number } | Increase
export type Increase = { readonly increase: number; readonly seconds: number; readonly whole: number }

/** The parts of a process, by rule. A rule without a metric in this process has none. */
export type Parts = Readonly<Record<string, Part>>

type Totals = { readonly at: number; readonly counted: number; readonly whole: number }

/**
 * Creates the reader of a process's parts. For rates it remembers the counters of the last five minutes; a counter of a new process was 0.
 * @param now milliseconds of a clock that never goes back
 */
export function createReadParts(
  metrics: Registry,
  rules: readonly Rule[],
  now: () => number = () => performance.now(),
): () => Promise<Parts> {
  const histories = new Map(rules.map(({ name }) => [name, [{ at: now(), counted: 0, whole: 0 }] as Totals[]]))
  return async () => {
    const parts: Record<string, Part> = {}
    for (const rule of rules) {
      const values = await readValues(metrics, rule)
      if (rule.take !== 'rate') {
        if (values.length > 0) parts[rule.name] = { value: combine(rule.take, values) }
        continue
      }
      const whole = rule.of === undefined ? [] : await readValues(metrics, rule.of)
      const totals = { at: now(), counted: combine('sum', values), whole: combine('sum', whole) }
      const increase = increaseIn(histories.get(rule.name)!, totals)
      if (increase !== null) parts[rule.name] = increase
    }
    return parts
  }
}

/** Adds the newest totals to a history, forgets those before the window, and returns the increase. Null: no time has passed. */
function increaseIn(history: Totals[], totals: Totals): Increase | null {
  history.push(totals)
  const begin = totals.at - RATE_SECONDS * 1_000
  while (history[1]!.at <= begin) history.shift()
  const [oldest] = history
  const seconds = (totals.at - oldest!.at) / 1_000
  if (seconds <= 0) return null
  return { increase: totals.counted - oldest!.counted, seconds, whole: totals.whole - oldest!.whole }
}

/** Values together, as Prometheus takes them. The sum of none is 0. */
export function combine(take: 'max' | 'min' | 'sum', values: readonly number[]): number {
  if (take === 'sum') return values.reduce((sum, value) => sum + value, 0)
  return take === 'max' ? Math.max(...values) : Math.min(...values)
}

/** The values of the series of a rule in this process. A moment counts as it is. */
async function readValues(metrics: Registry, { metric, labels = {} }: Series): Promise<number[]> {
  const known: Metric | undefined =
    metrics.getSingleMetric(metric) ?? metrics.getSingleMetric(metric.replace(/_(?:bucket|count|sum)$/, ''))
  if (known === undefined) return []
  const { values } = (await known.get()) as { values: { labels: object; value: number; metricName?: string }[] }
  return values
    .filter(({ metricName = metric }) => metricName === metric)
    .filter((one) => matches(one.labels as Record<string, unknown>, labels))
    .map(({ value }) => value)
}

function matches(has: Readonly<Record<string, unknown>>, wanted: NonNullable<Series['labels']>): boolean {
  return Object.entries(wanted).every(([name, value]) => [value].flat().includes(String(has[name])))
}
