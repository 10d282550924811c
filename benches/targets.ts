/** The result of a bench, read back from its file. */
export type Result = { bench: string; [field: string]: unknown }

/** A result with the day on which it was measured. */
export type Dated = { day: string; result: Result }

export type Target = {
  bench: string
  what: string
  /** The path of the figure in the result, with dots between. */
  at: string
  /** `percent`: a share of the whole. */
  unit: '×' | 'ms' | 's' | 'percent' | 'MB' | 'MB/min' | 'left'
  /** The target, in the unit of the figure; null when the figure is only published. */
  bound: { at_least: number } | { at_most: number } | null
}

/** The targets on two cores that run nothing else, the client included. */
export const targets: readonly Target[] = [
  {
    bench: 'create-payment',
    what: 'payments accepted a second, to TPC-B',
    at: 'ratio_to_tpcb',
    unit: '×',
    bound: { at_least: 2 },
  },
  {
    bench: 'create-payment',
    what: 'p99 at half the knee, at a fixed rate',
    at: 'at_half_the_knee.p99_ms',
    unit: 'ms',
    bound: { at_most: 50 },
  },
  {
    bench: 'whole-payment',
    what: 'complete payments a second, to TPC-B',
    at: 'ratio_to_tpcb',
    unit: '×',
    bound: { at_least: 0.38 },
  },
  {
    bench: 'whole-payment',
    what: 'left over in the end',
    at: 'left_over',
    unit: 'left',
    bound: { at_most: 0 },
  },
  {
    bench: 'whole-payment',
    what: 'p95 from the event to its delivery, at 200 a second',
    at: 'at_200_a_second.delivery.p95_ms',
    unit: 'ms',
    bound: { at_most: 50 },
  },
  {
    bench: 'hot-merchant',
    what: 'accepted for one merchant, to spread over 1 000',
    at: 'created.ratio_to_spread',
    unit: '×',
    bound: { at_least: 0.8 },
  },
  {
    bench: 'hot-merchant',
    what: 'complete for one merchant, to spread over 1 000',
    at: 'whole.ratio_to_spread',
    unit: '×',
    bound: { at_least: 0.8 },
  },
  {
    bench: 'payouts',
    what: 'payouts accepted a second, over 1 000 merchants, to TPC-B',
    at: 'spread_over_1000.ratio_to_tpcb',
    unit: '×',
    bound: { at_least: 1 },
  },
  {
    bench: 'payouts',
    what: 'payouts of one merchant, to those of many',
    at: 'one_merchant.ratio_to_spread',
    unit: '×',
    bound: { at_least: 0.7 },
  },
  {
    bench: 'payouts',
    what: 'a batch of 500, from `execute` to the last outcome',
    at: 'batch_of_500.execute_to_last_outcome.median_ms',
    unit: 'ms',
    bound: { at_most: 2_000 },
  },
  {
    bench: 'payouts',
    what: 'making a batch of 500',
    at: 'batch_of_500.create.median_ms',
    unit: 'ms',
    bound: { at_most: 150 },
  },
  {
    bench: 'webhooks',
    what: 'p99 of healthy endpoints beside slow and failing ones, to that of healthy ones alone',
    at: 'p99_to_all_healthy',
    unit: '×',
    bound: { at_most: 2 },
  },
  {
    bench: 'statements',
    what: 'first page of 5 000 000 movements, to that of 1 000',
    at: 'large_to_small.first_page',
    unit: '×',
    bound: { at_most: 1.5 },
  },
  {
    bench: 'price',
    what: 'idempotency, of the payments a second',
    at: 'prices.without_idempotency.part_of_throughput',
    unit: 'percent',
    bound: null,
  },
  {
    bench: 'price',
    what: 'limits',
    at: 'prices.without_limits.part_of_throughput',
    unit: 'percent',
    bound: null,
  },
  {
    bench: 'price',
    what: 'request log',
    at: 'prices.without_request_log.part_of_throughput',
    unit: 'percent',
    bound: null,
  },
  {
    bench: 'price',
    what: 'all three together',
    at: 'prices.without_all_three.part_of_throughput',
    unit: 'percent',
    bound: { at_most: 0.25 },
  },
  {
    bench: 'neighbours',
    what: 'p99 of another merchant under the worst attack, to what it may be',
    at: 'p99_to_allowed',
    unit: '×',
    bound: { at_most: 1 },
  },
  {
    bench: 'neighbours',
    what: 'attacks under which another merchant was not held',
    at: 'attacks_not_held',
    unit: 'left',
    bound: { at_most: 0 },
  },
  {
    bench: 'neighbours',
    what: 'answers of 500 and above to anybody',
    at: 'server_errors',
    unit: 'left',
    bound: { at_most: 0 },
  },
  {
    bench: 'neighbours',
    what: 'growth of memory under the worst attack',
    at: 'memory_growth_mb',
    unit: 'MB',
    bound: { at_most: 300 },
  },
  {
    bench: 'operators',
    what: "live payments a second through the twin, to the simulator's",
    at: 'live_to_simulator',
    unit: '×',
    bound: { at_least: 0.7 },
  },
  {
    bench: 'operators',
    what: "the same by the processor time of service and database, without the twin's",
    at: 'by_our_processor_time',
    unit: '×',
    bound: null,
  },
  {
    bench: 'operators',
    what: '2 000 under way with an operator that takes 2 s: not confirmed',
    at: 'answers_after_two_seconds.not_confirmed',
    unit: 'left',
    bound: { at_most: 0 },
  },
  {
    bench: 'operators',
    what: "p95 from an operator's callback to the merchant's webhook",
    at: 'callback_to_webhook.p95_ms',
    unit: 'ms',
    bound: null,
  },
  {
    bench: 'console',
    what: 'p95 of lists, search and details, the slowest of them, of a million payments',
    at: 'slowest_p95_ms',
    unit: 'ms',
    bound: { at_most: 100 },
  },
  {
    bench: 'console',
    what: 'p95 of charts beside them',
    at: 'pages.charts.p95_ms',
    unit: 'ms',
    bound: null,
  },
  {
    bench: 'console',
    what: 'export of a million as CSV',
    at: 'exports.csv.seconds',
    unit: 's',
    bound: { at_most: 30 },
  },
  {
    bench: 'console',
    what: 'as XLSX',
    at: 'exports.xlsx.seconds',
    unit: 's',
    bound: { at_most: 60 },
  },
  {
    bench: 'console',
    what: 'growth of memory under either',
    at: 'exports_growth_mb',
    unit: 'MB',
    bound: { at_most: 64 },
  },
  {
    bench: 'growth',
    what: 'payments accepted with 10 000 000 there, to an empty database',
    at: 'grown_to_empty.created',
    unit: '×',
    bound: { at_least: 0.9 },
  },
  {
    bench: 'growth',
    what: 'complete payments with 10 000 000 there, to an empty database',
    at: 'grown_to_empty.whole',
    unit: '×',
    bound: { at_least: 0.9 },
  },
  {
    bench: 'soak',
    what: 'growth of memory after five minutes',
    at: 'memory.rss_mb_per_minute',
    unit: 'MB/min',
    bound: { at_most: 1 },
  },
  {
    bench: 'soak',
    what: 'growth of the heap after five minutes',
    at: 'memory.heap_mb_per_minute',
    unit: 'MB/min',
    bound: { at_most: 1 },
  },
  {
    bench: 'soak',
    what: 'p99 of the last ten minutes, to that of the first ten',
    at: 'p99_last_third_to_first',
    unit: '×',
    bound: { at_most: 1.2 },
  },
]

/** Finds the figure of a target; null when the result has none. */
export function figureOf(target: Target, result: Result): number | null {
  let found: unknown = result
  for (const name of target.at.split('.')) found = (found as Record<string, unknown> | undefined)?.[name]
  return typeof found === 'number' ? found : null
}

export function isHit({ bound }: Target, figure: number): boolean {
  if (bound === null) return true
  return 'at_least' in bound ? figure >= bound.at_least : figure <= bound.at_most
}

export function writeFigure(figure: number, unit: Target['unit']): string {
  switch (unit) {
    case 'percent':
      return `${Math.round(figure * 1_000) / 10} %`
    case 'left':
      return String(figure)
    case '×':
      return `${figure} ×`
    default:
      return `${figure} ${unit}`
  }
}

export function writeBound({ bound, unit }: Target): string {
  if (bound === null) return 'published'
  const [word, value] = 'at_least' in bound ? ['at least', bound.at_least] : ['at most', bound.at_most]
  return unit === 'left' && value === 0 ? 'nothing' : `${word} ${writeFigure(value, unit)}`
}
