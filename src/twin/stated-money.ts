/** False values for amount and currency. An absent one stays true. */
export type ClaimedMoney = { amount?: number; currency?: string }

/** The money that a fault claims. Null: the fault claims none. */
export function claimedBy({ fault, claimed_amount }: { fault: string; claimed_amount?: number }): ClaimedMoney | null {
  if (fault === 'states_amount') return { amount: claimed_amount ?? 1 }
  return fault === 'states_currency' ? { currency: 'EUR' } : null
}

/**
 * Returns the body of an answer or a message with false money, in the field and the format of its API. A body without an amount or a
 * currency gets the field, because an operator may begin to state one.
 */
export function withMoney<Body extends object>(body: Body, { amount, currency }: ClaimedMoney): Body {
  let stated = false
  const claim = (name: string, value: unknown): unknown => {
    if (typeof value === 'object') return changed(value)
    const is_amount = amount !== undefined && /(?:^|_)amount$/.test(name)
    if (!is_amount && (currency === undefined || name !== 'currency')) return value
    stated = true
    if (is_amount) return typeof value === 'number' ? amount : String(value).replace(/^-?\d+/, String(amount))
    return currency
  }
  const changed = (value: object | null): unknown => {
    if (value === null) return null
    if (Array.isArray(value)) return value.map((one) => claim('', one))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, claim(name, one)]))
  }
  const claims = changed(body) as Body
  if (stated || Array.isArray(body)) return claims
  return {
    ...claims,
    ...(amount === undefined ? {} : { amount: String(amount) }),
    ...(currency === undefined ? {} : { currency }),
  }
}
