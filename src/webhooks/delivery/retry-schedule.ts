/** Seconds before each of the twelve retries: 72 hours in all. */
export const RETRY_DELAYS_SECONDS = [
  10, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 72_000, 86_400,
] as const

/** An endpoint with nothing but failures for this long is disabled. */
export const FAILING_DAYS_MAX = 5

/**
 * Seconds from a failed attempt to the next one. Null at the end of the schedule.
 *
 * Each delay is spread by ten percent, so that deliveries that failed together are not retried together. A `Retry-After` of the receiver
 * can lengthen the delay, at most to that of the step after.
 * @param made attempts of this schedule so far, with the failed one
 * @param random from 0 to 1
 */
export function nextDelaySeconds(made: number, retryAfterSeconds: number | null, random: number): number | null {
  const delay = RETRY_DELAYS_SECONDS[made - 1]
  if (delay === undefined) return null
  const spread = delay * (0.9 + 0.2 * random)
  const wishMax = RETRY_DELAYS_SECONDS[made] ?? delay
  return Math.max(spread, Math.min(retryAfterSeconds ?? 0, wishMax))
}
