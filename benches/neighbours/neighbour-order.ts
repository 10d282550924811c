import type { Times } from '../load-order.ts'

/** The messages to and from the process of the neighbour (neighbour.ts). */

export type NeighbourOrder = {
  /** Of the service. */
  address: string
  /** The keys of one merchant. Calls use them in turn, so that none comes near its rate. */
  keys: { collect: string[]; payout: string[] }
  /** The secrets of its endpoints, by path. */
  secrets: Record<string, string>
  /** Payments, payouts and looks at /healthz that arrive in a second, each. */
  per_second: number
}

export type NeighbourMessage =
  | { order: NeighbourOrder }
  /** Calls that are due from now on belong to this phase. */
  | { phase: string }
  /** Begin no more calls, wait at most so many milliseconds for the open ones, and report. */
  | { end_within_ms: number }

/**
 * The latencies that are measured: answers to payments, payouts and /healthz; payments and payouts from the moment they were due
 * until their webhook had come; events from the moment they were written until they had come.
 */
export const figures = ['payments', 'payouts', 'healthz', 'whole_payments', 'whole_payouts', 'deliveries'] as const
export type Figure = (typeof figures)[number]

export type Phase = Record<Figure, Times & { count: number }> & {
  /** Answers by status. `lost`: the connection ended without one; `unanswered`: none came, and it counts with the time that it had waited. */
  statuses: Record<string, number>
  /** Payments and payouts whose webhook never came. They count with the time that they had waited. */
  never: number
}

export type NeighbourReport = { phases: Record<string, Phase>; wrongly_signed: number }
