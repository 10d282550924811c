/**
 * How a batch waits to fill when there is much to do: one that would begin less than `ms` milliseconds after the last waits
 * until then, or until `enough` items are there. A statement for one costs nearly as much as one for ten. The first call after a
 * pause still starts at once.
 */
export type Batching = {
  readonly ms: number
  readonly enough: number
  /**
   * When batches take long, because the machine is busy, the wait grows with them (`intervalAfter`), up to this many milliseconds. It does
   * not behind a batch of fewer than four: whoever calls alone is not to be kept waiting because the database is far away. Nor
   * where there are keys, which take turns. Absent: it never does.
   */
  readonly most?: number
}

/** Items in a batch from which on the next one waits to fill when batches take long. */
export const MIN_BATCH = 4

/**
 * Milliseconds between the beginnings of two turns of the same work: `ms`, or five times what the last turn took when that is more,
 * but at most `most`. A busy machine so does more in each turn, which costs it less, where short turns would keep it busy.
 */
export function intervalAfter(took_ms: number, { ms, most = ms }: Pick<Batching, 'ms' | 'most'>): number {
  return Math.max(ms, Math.min(5 * took_ms, most))
}

/** For what a caller waits for. */
export const REQUEST_BATCHING: Batching = { ms: 5, enough: 16, most: 25 }
/** For notes that nothing waits for, of what is done already: a job has ended, an event was delivered. */
export const ACK_BATCHING: Batching = { ms: 100, enough: 256 }
