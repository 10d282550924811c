/** The messages to and from the process of a load. */

export type LoadOrder = {
  /** Of the service; empty when nothing is asked of it and only events are received. */
  address: string
  /**
   * The operation that every request asks for. `whole payment`: a payment that ends when its signed webhook has come; `nothing`:
   * events come by themselves and each is an operation.
   */
  what: 'payment' | 'whole payment' | 'payout' | 'nothing'
  keys: string[]
  connections: number
  /** Operations that arrive in a second; absent: as fast as others end. */
  rate?: number
  /** Whole payments under way at once, without a rate. */
  in_flight?: number
  /** Seconds without measuring, then with. */
  warm_up: number
  seconds: number
  /** Of the endpoints that events come to, by path. */
  secrets: Record<string, string>
  /** Whether to report when the event of each whole payment came. */
  tells_arrivals?: boolean
}

/** Milliseconds, of what was measured. */
export type Times = { p50_ms: number; p95_ms: number; p99_ms: number; max_ms: number }

export type LoadReport = Times & {
  /** Answers within the measured time, by status. */
  statuses: Record<string, number>
  /** Operations that ended well within the measured time. */
  operations: number
  /** The slowest of a hundred in each third of the measured time. */
  p99_of_thirds: number[]
  /** And in each of its minutes; null when nothing ended in it. */
  p99_of_minutes: (number | null)[]
  /** Whole payments and events: from the moment that the event was written, before its commit, until it had come. */
  delivery: (Times & { events: number; repeated: number; wrongly_signed: number }) | null
  /** Whole payments not ended when no more began, how long they took, and those that never ended. */
  backlog: { left: number; seconds: number; never: number } | null
  /** The merchants' references of whole payments, each with when its event came, in milliseconds since 1970. */
  arrived?: [reference: string, at: number][]
  seconds: number
  cpu_ms: number
}

/** The percentiles of latencies in milliseconds, which it sorts. */
export function timesOf(latencies: number[]): Times {
  latencies.sort((a, b) => a - b)
  const at = (share: number) =>
    Number((latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0).toFixed(2))
  return { p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99), max_ms: at(1) }
}
