/** The messages to and from the process of a load. */

export type LoadOrder = {
  /** The service's address; empty when no request is sent and only events are received. */
  address: string
  /**
   * The operation of every request. `whole payment`: a payment that ends when its signed webhook arrives. `nothing`: no
   * requests; each event received is an operation.
   */
  what: 'payment' | 'whole payment' | 'payout' | 'nothing'
  keys: string[]
  connections: number
  /** Operations that arrive in a second. Absent: each begins when another ends. */
  rate?: number
  /** The most concurrent whole payments, without a rate. */
  in_flight?: number
  /** Seconds without measuring, and with it. */
  warm_up: number
  seconds: number
  /** The endpoints' secrets, by path. */
  secrets: Record<string, string>
  /** Whether to report the arrival time of each whole payment's event. */
  tells_arrivals?: boolean
}

/** Latencies of the measured time, in milliseconds. */
export type Times = { p50_ms: number; p95_ms: number; p99_ms: number; max_ms: number }

export type LoadReport = Times & {
  /** Answers within the measured time, by HTTP status; `lost` without one. */
  statuses: Record<string, number>
  /** Operations that succeeded within the measured time. */
  operations: number
  /** The 99th percentile of each third of the measured time. */
  p99_of_thirds: number[]
  /** The 99th percentile of each minute of the measured time; null when no operation ended in it. */
  p99_of_minutes: (number | null)[]
  /** For whole payments and events: the time from the writing of the event, before its commit, to its arrival. */
  delivery: (Times & { events: number; repeated: number; wrongly_signed: number }) | null
  /** Whole payments that were open when no further one began, the seconds until they ended, and those that never did. */
  backlog: { left: number; seconds: number; never: number } | null
  /** The merchant's references of whole payments, with the arrival of their events in milliseconds since 1970. */
  arrived?: [reference: string, at: number][]
  seconds: number
  cpu_ms: number
}

/** Sorts latencies, in milliseconds, and returns their percentiles. */
export function timesOf(latencies: number[]): Times {
  latencies.sort((a, b) => a - b)
  const at = (share: number) =>
    Number((latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0).toFixed(2))
  return { p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99), max_ms: at(1) }
}
