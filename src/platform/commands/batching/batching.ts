/**
 * How long a batch waits to fill under load. A batch that would start less than `ms` milliseconds after the last one
 * waits until then, or until `enough` items are there: a statement for one item costs nearly as much as one for ten.
 * The first call after a pause still starts at once.
 */
export type Batching = {
  readonly ms: number
  readonly enough: number
  /**
   * When batches take long because the machine is busy, the wait grows with them (`intervalAfter`), up to this many
   * milliseconds. It does not grow after a batch of fewer than four, so that a single caller is not delayed because the
   * database is far away, nor with keys, which take turns. When absent it never grows.
   */
  readonly most?: number
}

/** After a batch of at least this many items, the next one waits longer when batches take long. */
export const MIN_BATCH = 4

/**
 * Milliseconds between the starts of two rounds of the same work: `ms`, or five times the duration of the last round if
 * that is more, but at most `most`. A busy machine so does more in each round, which costs less than many short rounds.
 */
export function intervalAfter(took_ms: number, { ms, most = ms }: Pick<Batching, 'ms' | 'most'>): number {
  return Math.max(ms, Math.min(5 * took_ms, most))
}

/** For work that a caller waits for. */
export const REQUEST_BATCHING: Batching = { ms: 5, enough: 16, most: 25 }
/** For records of finished work that nobody waits for: a job ended, an event was delivered. */
export const ACK_BATCHING: Batching = { ms: 100, enough: 256 }
