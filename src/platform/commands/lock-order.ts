/**
 * The order in which every transaction takes its locks. A transaction that holds a later lock never asks for an earlier
 * one, so two transactions never wait for one another in a circle. Rows of one rank are locked in the order of their
 * keys. `applyEffects` applies effects in this order and throws when it cannot.
 *
 * Idempotency keys come before all of these; a transaction only tries to lock them and never waits. A new row needs no
 * lock, because no other transaction can know it yet.
 */
export const lockOrder = [
  // No order of a merchant locks these.
  'external account',
  'statement file',
  'calendar day',
  'person',
  // The roles of a locked person, and those of all holders of one role at a merchant, in the order of persons.
  'person role',
  'merchant',
  'payout stop',
  'API key',
  // A route holds its connectors first, so that none is removed meanwhile.
  'connector',
  'route',
  'cap proposal',
  'act proposal',
  'anomaly proposal',
  'group of collections',
  'instruction',
  // Held by the refund that accepts it, before its payment.
  'refund request',
  'refund',
  'payment',
  'payout',
  'batch line',
  'batch',
  'checkout session',
  'payment link',
  'till phone',
  // Covered by the lock of the till's link.
  'person of a till',
  'anomaly',
  // With the line of a statement that it is about, and its day to be compared again.
  'difference',
  'adjustment',
  // Locked before the accounts of the request that it makes.
  'settlement schedule',
  'account',
  'payout cap usage',
  'payout cap',
  'settlement',
  'settlement minimum',
  'beneficiary',
  // Covered by the lock of its merchant's destinations.
  'destination proposal',
  'book size',
  'endpoint',
  // Writers of results lock these before their endpoint. An act that has locked the endpoint skips those, and waits for none.
  'delivery',
  'new row',
  // Locked with the account `transfer`. Written after the new payout that it refers to.
  'payout request',
  'solo approval',
  // Ends the approvals that wait under it, which are locked before it.
  'single-person terms',
  'event',
  'job',
] as const

/** One rank of the lock order. */
export type LockRank = (typeof lockOrder)[number]
