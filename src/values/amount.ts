import Type from 'typebox'

/** The largest amount any field takes, in francs: a million million. Far below 2^53, so arithmetic stays exact. */
export const AMOUNT_MAX = 1_000_000_000_000

/**
 * An amount in francs, a whole number of at least 1 (interface, general convention 1). The parser of request bodies
 * keeps any number not written as plain digits (`100.0`, `1e2`, `-0`) out of this type.
 */
export const Amount = Type.Refine(
  Type.Integer({ minimum: 1, maximum: AMOUNT_MAX, description: 'Whole francs (XOF).' }),
  () => true,
  () => 'a whole number of francs, written as a JSON integer of at least 1',
)

/** Tells a merchant how much one of its payments may be, in francs. */
export const aboveLimit = (limit: number) => `amount is above the limit for one payment: at most ${limit} francs.`

/** The only currency of the service. */
export const CURRENCY = 'XOF'
