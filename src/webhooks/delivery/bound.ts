/** How many attempts an endpoint may have at once: at least, any that answers, and one that answers fast. */
const BOUND_MIN = 2
const BOUND = 8
const BOUND_BRISK = 32
/** How many times its bound is taken ahead for an endpoint that answers fast, and how many at most. */
const AHEAD = 8
const AHEAD_MAX = 128
/** Answers that take longer than this in the mean are not fast. */
const BRISK_MS = 500

/** The load that an endpoint has shown it can carry. */
export type Bound = {
  /** Attempts it may have at once. Not always whole: above eight it grows by one with as many successes as it is. */
  readonly at_once: number
  /** The mean duration of the last successes, in milliseconds; null: there was none. */
  readonly mean_ms: number | null
  /** It answers fast, and its last attempt succeeded. */
  readonly brisk: boolean
}

/** Of an endpoint that nothing is known of. */
export const firstBound: Bound = { at_once: BOUND_MIN, mean_ms: null, brisk: false }

/**
 * After an attempt. A success doubles the bound up to eight, a failure halves it. One that answers fast has one more with each round of
 * successes, up to thirty-two.
 */
export function boundAfter(bound: Bound, succeeded: boolean, duration_ms: number): Bound {
  const { at_once, mean_ms } = bound
  if (!succeeded) return { at_once: Math.max(at_once / 2, BOUND_MIN), mean_ms, brisk: false }
  // Of the last ones: one that had a connection to make takes longer than the others, and each more at once makes one.
  const mean = mean_ms === null ? duration_ms : mean_ms + (duration_ms - mean_ms) / 8
  const brisk = mean < BRISK_MS
  if (at_once < BOUND) return { at_once: Math.min(at_once * 2, BOUND), mean_ms: mean, brisk }
  return { at_once: brisk ? Math.min(at_once + 1 / at_once, BOUND_BRISK) : BOUND, mean_ms: mean, brisk }
}

/** Attempts it may have at once now. While the process has little left for the others (`plenty` is false), eight at most. */
export function atOnce({ at_once }: Bound, plenty: boolean): number {
  return Math.floor(plenty ? at_once : Math.min(at_once, BOUND))
}

/** Deliveries to have in hand, under way and waiting together: of an endpoint that answers fast, dozens. */
export function inHand({ at_once, brisk }: Bound): number {
  const whole = Math.floor(at_once)
  return brisk ? Math.min(whole * AHEAD, AHEAD_MAX) : whole
}
