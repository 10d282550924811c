import type { FailureCode } from '../../values/failure-codes.ts'
import type { Instruction } from '../instruction.ts'
import type { Order } from '../port.ts'

/** Length of a row, in milliseconds. */
export const ROW_MS = 5 * 60_000

/** The operations of one operator and direction in a row or a window. */
export type Counts = {
  succeeded: number
  /** Ended without money moving, by the operator's fault. */
  failed: number
  /** Ended without money moving, for a reason of the payer, the recipient or us: says nothing about the operator. */
  failed_otherwise: number
  /** Without an outcome yet, those in doubt included. */
  open: number
  in_doubt: number
  /** Of those that succeeded, how many were confirmed within each of `confirmationBounds` and not within the one before. */
  confirmed_within: readonly number[]
}

/** An operator and a direction, in one mode. */
export type Place = { livemode: boolean; operator: string; direction: Order['direction'] }

/** The recent success and speed of one operator in one direction. Shares from 0 to 1; null when there are too few operations. */
export type Weather = {
  /** Operations that count for the operator: they succeeded, failed by its fault, or are in doubt. */
  operations: number
  success_rate: number | null
  in_doubt_rate: number | null
  /** Seconds from the send within which half of those that succeeded were confirmed, and 95 of 100. */
  median_seconds: number | null
  p95_seconds: number | null
}

/** The fewest operations that give a share: with twenty, one more failure changes it by a twentieth. */
export const OPERATIONS_MIN = 20

/**
 * The success rate below which the weather is bad. On a usual day it is above nine of ten, because failures for the
 * payers' own reasons do not count.
 */
const GOOD_FROM = 0.7

/**
 * Bounds of the confirmation time, in seconds. Rows store how many were confirmed within each bound instead of the
 * times, so that rows can be added up. From 2 s to 20 minutes, the time that payers take, a bound is at most a third
 * above the one before: a time is reported as the bound above it, which is never too short and at most a third too
 * long. Below a second and above an hour nobody needs finer bounds.
 */
export const confirmationBounds: readonly number[] = [
  ...[0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75, 90],
  ...[120, 150, 180, 240, 300, 400, 500, 600, 800, 1_000, 1_200, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400],
]

/**
 * The party at fault for each failure. Only the operator's faults count as weather. A payer without money or a wrong
 * number says nothing about the operator, and the connector's check reports an account of ours that is short or
 * blocked. A lapsed request counts as the payer's, who mostly did not answer it.
 */
const failureOwners: Readonly<Record<FailureCode, 'operator' | 'person' | 'service'>> = {
  payer_insufficient_funds: 'person',
  payer_declined: 'person',
  payer_timeout: 'person',
  payer_not_found: 'person',
  payer_limit_reached: 'person',
  payer_account_blocked: 'person',
  payer_wrong_code: 'person',
  payment_in_progress: 'person',
  recipient_not_found: 'person',
  recipient_limit_reached: 'person',
  recipient_account_blocked: 'person',
  amount_out_of_bounds: 'person',
  invalid_number: 'person',
  operator_float_insufficient: 'service',
  operator_account_blocked: 'service',
  operator_configuration: 'service',
  operator_unavailable: 'operator',
  operator_refused: 'operator',
  cancelled: 'service',
}

/** The number of instructions of one row whose other fields are equal. */
export type Alike = Place &
  Pick<Instruction, 'state' | 'failure_code'> & {
    /** Whether the operator has been silent for too long. */
    silent: boolean
    /** For a confirmed one, how many of `confirmationBounds` its time has passed; otherwise null. */
    bounds_passed: number | null
    instructions: number
  }

/** Sums the groups of one row for each operator and direction. Pure. */
export function countRows(alike: readonly Alike[]): (Place & Counts)[] {
  const places = Map.groupBy(alike, ({ livemode, operator, direction }) => `${livemode} ${operator} ${direction}`)
  return [...places.values()].map((some) => {
    const { livemode, operator, direction } = some[0]!
    const sum = (counts: (one: Alike) => boolean) =>
      some.reduce((total, one) => total + (counts(one) ? one.instructions : 0), 0)
    const last = confirmationBounds.length - 1
    return {
      livemode,
      operator,
      direction,
      succeeded: sum(({ state }) => state === 'confirmed'),
      failed: sum((one) => one.state === 'refused' && isOperators(one)),
      failed_otherwise: sum((one) => one.state === 'refused' && !isOperators(one)),
      open: sum(isOpen),
      in_doubt: sum((one) => isOpen(one) && (one.state === 'unknown' || one.silent)),
      confirmed_within: confirmationBounds.map((_, at) =>
        sum((one) => one.bounds_passed !== null && Math.min(one.bounds_passed, last) === at),
      ),
    }
  })
}

function isOperators({ failure_code }: Pick<Alike, 'failure_code'>): boolean {
  return failure_code !== null && failureOwners[failure_code] === 'operator'
}

function isOpen({ state }: Pick<Alike, 'state'>): boolean {
  return state !== 'confirmed' && state !== 'refused'
}

/** Computes the weather from counts. Pure. */
export function weatherOf({ succeeded, failed, in_doubt, confirmed_within }: Counts): Weather {
  const operations = succeeded + failed + in_doubt
  const share = (part: number) => (operations < OPERATIONS_MIN ? null : Math.round((part / operations) * 1_000) / 1_000)
  return {
    operations,
    success_rate: share(succeeded),
    in_doubt_rate: share(in_doubt),
    median_seconds: percentile(confirmed_within, 0.5),
    p95_seconds: percentile(confirmed_within, 0.95),
  }
}

/** The weather of an operator without operations. */
export const noWeather: Weather = weatherOf({
  succeeded: 0,
  failed: 0,
  failed_otherwise: 0,
  open: 0,
  in_doubt: 0,
  confirmed_within: [],
})

/** Whether a payer should be warned before trying. False while there are too few operations. */
export function isBad({ success_rate }: Weather): boolean {
  return success_rate !== null && success_rate < GOOD_FROM
}

/** The first bound within which this share was confirmed. Null when too few were confirmed. */
function percentile(confirmed_within: readonly number[], share: number): number | null {
  const all = confirmed_within.reduce((sum, one) => sum + one, 0)
  if (all < OPERATIONS_MIN) return null
  let counted = 0
  const at = confirmed_within.findIndex((one) => {
    counted += one
    return counted >= share * all
  })
  return confirmationBounds[at]!
}
