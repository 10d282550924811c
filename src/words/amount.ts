import Type from 'typebox'

/** The largest amount any field takes, in francs: a million million. Far below 2^53, so arithmetic stays exact. */
export const AMOUNT_MAX = 1_000_000_000_000

/**
 * An amount in francs, a whole number of at least 1 (interface, general convention 1). The parser of request bodies
 * keeps any number not written as plain digits (`100.0`, `1e2`, `-0`) out of this type.
 */
export const Amount = Type.Integer({ minimum: 1, maximum: AMOUNT_MAX, description: 'Whole francs (XOF).' })

/** The only currency of the service. */
export const CURRENCY = 'XOF'
