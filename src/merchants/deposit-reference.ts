import { sha256 } from '../platform/digest.ts'

// The reference that a merchant writes on a bank transfer for its payouts: `DEP 1042 KXWB`. The letters follow from the number, so that a
// mistyped digit names nobody. It is no secret: to write another merchant's is to give it money.

/** The letters of codes: no vowels, and none that looks like a digit. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'

/** The reference of a merchant, the same for ever. */
export function depositReference(merchant_id: number): string {
  const letters = [...sha256(`deposit ${merchant_id}`).subarray(0, 4)].map((byte) => LETTERS[byte % LETTERS.length])
  return `DEP ${merchant_id} ${letters.join('')}`
}

/** Returns the merchant whom a bank's text names, however banks space it. Null: it names none, or its letters do not fit. */
export function merchantOfDeposit(text: string): number | null {
  const bare = text.toUpperCase().replace(/[^0-9A-Z]/g, '')
  const [, digits, letters] = /DEP([1-9]\d{0,14})([BCDFGHJKLMNPQRSTVWXZ]{4})/.exec(bare) ?? []
  if (digits === undefined) return null
  return depositReference(Number(digits)).endsWith(` ${letters}`) ? Number(digits) : null
}
