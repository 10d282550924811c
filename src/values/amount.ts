import Type from 'typebox'

/** The largest amount of any field, in francs: a million million. It is far below 2^53, so arithmetic stays exact. */
export const AMOUNT_MAX = 1_000_000_000_000

/**
 * The field of an amount in francs, a whole number of at least 1 (interface, general convention 1). The parser of request bodies already
 * refuses a number that is not written as plain digits (`100.0`, `1e2`, `-0`).
 */
export function amountField(description: string) {
  return Type.Refine(
    Type.Integer({ minimum: 1, maximum: AMOUNT_MAX, description }),
    () => true,
    () => 'a whole number of francs, written as a JSON integer of at least 1',
  )
}

export const Amount = amountField('Whole francs (XOF).')

/** Returns the message about a merchant's limit for one payment, in francs. */
export const aboveLimit = (limit: number) => `amount is above the limit for one payment: at most ${limit} francs.`

/**
 * Returns the message about the day of a merchant that is not checked yet, in francs.
 * @param left null: the payment alone is above the limit
 */
export function aboveUnchecked(limit: number, left: number | null): string {
  const rest = left === null ? '' : ` ${Math.max(0, left)} francs are left today.`
  return `amount is above the limit of an account that is not checked yet: ${limit} francs a day.${rest}`
}

/** The only currency of the service. */
export const CURRENCY = 'XOF'
