/**
 * The order in which every transaction takes its locks: nobody who holds a later one asks for an earlier one, so two transactions
 * never wait for one another in a circle. Within one rank rows are locked in the order of their keys. `applyEffects` keeps effects
 * in this order and throws where it cannot.
 *
 * Keys of idempotency come before all of these; they are only tried, never waited for. A new row is one that nobody can know yet.
 */
export const lockOrder = [
  'waiting collection',
  'instruction',
  'refund',
  'payment',
  'payout',
  'batch line',
  'batch',
  'checkout session',
  'payment link',
  'anomaly',
  'account',
  'payout cap usage',
  'settlement',
  'beneficiary',
  'book size',
  'new row',
  // Locked with the account `transfer`, and written behind the new payout that it refers to.
  'payout request',
  'event',
  'job',
] as const

/** A place in the order. */
export type LockRank = (typeof lockOrder)[number]
