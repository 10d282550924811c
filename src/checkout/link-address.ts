import { AMOUNT_MAX } from '../values/amount.ts'
import { amountOf, type LinkAmount, type LinkRow, outsideBounds } from './link.ts'

/**
 * The amount in francs and the reference that the address of a link carries, as its seller wrote them: `?amount=12500&ref=CMD-417`.
 * They are not signed, because only a server can sign. The bounds of the link hold, the payer sees the amount before they pay, and the
 * seller sees what was paid and where the amount came from.
 */
export type InAddress = { readonly amount: number | null; readonly reference: string | null }

export const nothingInAddress: InAddress = { amount: null, reference: null }

/** Where the amount of a session comes from: the merchant's server or people, the address of a link, or the payer's choice. */
export const amountSources = ['merchant', 'address', 'payer'] as const
export type AmountSource = (typeof amountSources)[number]

/** The source of a session's amount. Only a session of a link of a free amount has bounds. */
export function amountSource(session: { min_amount: number | null; amount_in_address: boolean }): AmountSource {
  if (session.min_amount === null) return 'merchant'
  return session.amount_in_address ? 'address' : 'payer'
}

/** The longest reference, in characters. */
export const REFERENCE_MAX = 40

/** Latin letters alone, because letters of other scripts can turn the text around them. */
const REFERENCE = /^[\p{Script=Latin}0-9 \-_./#]{1,40}$/u

/** Anybody writes an address: its reference can be an order's, and no sentence, address of a page or telephone number on a merchant's page. */
const OF_AN_ADDRESS = /^(?!.*\d{8})[\p{Script=Latin}0-9\-_.#]+$/u

/** A reference as it is kept: composed, with single spaces. Null when it is unreadable. */
export function readReference(written: string): string | null {
  if (written.length > 4 * REFERENCE_MAX) return null
  const text = written.normalize('NFC').trim().replace(/ +/g, ' ')
  return REFERENCE.test(text) ? text : null
}

type Refusal = 'invalid_request' | 'invalid_amount' | 'amount_too_small' | 'amount_too_large'

/** Reads the address of a link. Fields that are not ours, such as those that apps append, are ignored. */
export function readAddress(
  query: URLSearchParams,
): InAddress | Extract<Refusal, 'invalid_request' | 'invalid_amount'> {
  const amounts = query.getAll('amount')
  const references = query.getAll('ref')
  const [written = null] = amounts
  const amount = written === null ? null : Number(written)
  if (amounts.length > 1 || (written !== null && !/^[1-9]\d{0,12}$/.test(written))) return 'invalid_amount'
  if (amount !== null && amount > AMOUNT_MAX) return 'invalid_amount'
  const reference = references.length === 0 ? null : readReference(references[0]!)
  if (references.length > 1 || (references.length > 0 && reference === null)) return 'invalid_request'
  return { amount, reference }
}

/** The request to a payer of a link at an address. Amounts in francs. */
export type Terms = {
  readonly asked: LinkAmount
  /** Whether the address chose the amount, within the bounds of the link. */
  readonly amount_in_address: boolean
  readonly reference: string | null
  /** Whether the reference is that of the address alone, which anybody can write. */
  readonly reference_in_address: boolean
}

/**
 * Holds an address against its link, without database and clock. A link of a free amount takes an amount within its bounds, and one of
 * a fixed amount the same amount only. The link's own reference stands: an address may repeat it, not change it.
 */
export function decideTerms(
  link: Pick<LinkRow, 'amount' | 'min_amount' | 'max_amount' | 'reference'>,
  address: InAddress,
): Terms | Refusal | 'bornes_illisibles' {
  const asked = amountOf(link)
  if (asked === null) return 'bornes_illisibles'
  const { amount } = address
  if (link.reference !== null && address.reference !== null && link.reference !== address.reference) {
    return 'invalid_request'
  }
  const reference = link.reference ?? address.reference
  const reference_in_address = link.reference === null && reference !== null
  if (reference_in_address && !OF_AN_ADDRESS.test(reference)) return 'invalid_request'
  if (amount === null || (asked.kind === 'fixed' && asked.amount === amount)) {
    return { asked, amount_in_address: false, reference, reference_in_address }
  }
  if (asked.kind === 'fixed') return 'invalid_amount'
  const chosen = { kind: 'fixed', amount } as const
  return outsideBounds(asked, amount) ?? { asked: chosen, amount_in_address: true, reference, reference_in_address }
}

/** Writes an address's own fields, to follow `?`; empty without any. */
export function queryOfAddress({ amount, reference }: InAddress): string {
  const fields = { ...(amount !== null && { amount: String(amount) }), ...(reference !== null && { ref: reference }) }
  return new URLSearchParams(fields).toString()
}
