/** Seconds before each of the twelve retries: 72 hours in all. */
export const RETRY_DELAYS_SECONDS = [
  10, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 72_000, 86_400,
] as const

/** An endpoint that has only failed for this long is disabled. */
export const FAILING_DAYS_MAX = 5

/**
 * Seconds until the next attempt after one that failed, or null when the schedule is at its end.
 *
 * Each delay is spread by ten percent, so that what failed together does not come back together. A receiver that says
 * when to return (`Retry-After`) is not asked sooner, but waits no longer than the delay after this one.
 * @param made attempts of this schedule so far, the failed one included
 * @param random from 0 to 1
 */
export function nextDelaySeconds(made: number, retryAfterSeconds: number | null, random: number): number | null {
  const delay = RETRY_DELAYS_SECONDS[made - 1]
  if (delay === undefined) return null
  const spread = delay * (0.9 + 0.2 * random)
  const wishMax = RETRY_DELAYS_SECONDS[made] ?? delay
  return Math.max(spread, Math.min(retryAfterSeconds ?? 0, wishMax))
}
