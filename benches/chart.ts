import type { Measured } from './measure.ts'
import type { Dated, Result } from './targets.ts'

/** The operations in the chart, and the path to each in the result of its bench. */
const operations: readonly { bench: string; at: readonly string[]; label: string }[] = [
  { bench: 'create-payment', at: ['api_only'], label: 'payment accepted' },
  { bench: 'growth', at: ['grown', 'created'], label: 'the same, 10 million there' },
  { bench: 'payouts', at: ['spread_over_1000'], label: 'payout accepted' },
  { bench: 'whole-payment', at: ['as_many_as_it_carries'], label: 'whole payment, to its webhook' },
  { bench: 'growth', at: ['grown', 'whole'], label: 'the same, 10 million there' },
]

const [LEFT, BAR, ROW, TOP, RIGHT] = [216, 420, 34, 52, 84] as const
const colours = { service: '#2f6fb3', database: '#e08a1e' } as const

/** Draws the processor time of one operation, service and database, as bars in an SVG. An operation that was not measured has no bar. */
export function chartOfCosts(dated: readonly Dated[]): string {
  const rows = operations.flatMap(({ bench, at, label }) => {
    const cost = costOf(dated.find(({ result }) => result.bench === bench)?.result, at)
    return cost === null ? [] : [{ label, ...cost }]
  })
  const most = Math.max(...rows.map(({ service, database }) => service + database), 0.001)
  const [width, height] = [LEFT + BAR + RIGHT, TOP + rows.length * ROW + 8]
  const bars = rows.map(({ label, service, database }, at) => {
    const y = TOP + at * ROW
    const [first, second] = [(service / most) * BAR, (database / most) * BAR].map(Math.round) as [number, number]
    return [
      `<text x="${LEFT - 10}" y="${y + 16}" text-anchor="end">${label}</text>`,
      `<rect x="${LEFT}" y="${y}" width="${first}" height="22" fill="${colours.service}"/>`,
      `<rect x="${LEFT + first}" y="${y}" width="${second}" height="22" fill="${colours.database}"/>`,
      `<text x="${LEFT + first + second + 8}" y="${y + 16}">${(service + database).toFixed(2)} ms</text>`,
    ].join('\n')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13" fill="#24292f">
<title>Processor time of one operation, service and database</title>
<rect width="${width}" height="${height}" fill="#ffffff"/>
<text x="${LEFT}" y="20" font-weight="bold">Processor time of one operation</text>
<rect x="${LEFT}" y="30" width="12" height="12" fill="${colours.service}"/><text x="${LEFT + 18}" y="41">service</text>
<rect x="${LEFT + 90}" y="30" width="12" height="12" fill="${colours.database}"/><text x="${LEFT + 108}" y="41">database</text>
${bars.join('\n')}
</svg>
`
}

/** Milliseconds of each; null when the result has no such part. */
function costOf(result: Result | undefined, at: readonly string[]): { service: number; database: number } | null {
  let part: unknown = result
  for (const name of at) part = (part as Record<string, unknown> | undefined)?.[name]
  const costs = (part as Measured | undefined)?.per_operation
  return costs === undefined ? null : { service: costs.service_cpu_ms, database: costs.database_cpu_ms }
}
