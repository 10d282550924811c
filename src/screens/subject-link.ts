import type { ScreenRequest } from '../console/screen.ts'
import { type Html, html, type Piece } from '../platform/http/html.ts'
import type { MerchantRight } from '../values/rights.ts'

/** The page of each kind of resource and the right to see it, by the noun of its events. */
const pages = {
  payment: ['/payments', 'payments.read'],
  refund: ['/refunds', 'payments.read'],
  payout: ['/payouts', 'payouts.read'],
  payout_request: ['/approvals', 'payouts.read'],
  payout_batch: ['/batches', 'payouts.read'],
  settlement: ['/settlements', 'settlements.read'],
  checkout_session: ['/sessions', 'payments.read'],
} as const satisfies Readonly<Record<string, readonly [string, MerchantRight]>>

/** A kind of resource with a page in the console. */
export type Noun = keyof typeof pages

/** The kinds by prefix of the identifier. `txn_` is missing, because payments and payouts share it. */
const nouns: Readonly<Record<string, Noun>> = {
  rfd: 'refund',
  por: 'payout_request',
  pob: 'payout_batch',
  stl: 'settlement',
  cs: 'checkout_session',
}

/**
 * Returns the kind of a resource: by its identifier, or else by the name of an event or the path of a call. Null when it has no page.
 */
export function nounOf(id: string, said: string): Noun | null {
  const [prefix] = id.split('_', 1)
  if (prefix !== 'txn') return nouns[prefix!] ?? null
  return /payout/.test(said) ? 'payout' : 'payment'
}

/** Returns the address of a resource in this console. Null when it has no page, or this person may not see it. */
export function addressOf({ at, can }: Pick<ScreenRequest<'console'>, 'at' | 'can'>, noun: Noun | null, id: string) {
  if (noun === null) return null
  const [path, right] = pages[noun]
  return can(right) ? at(`${path}/${id}`) : null
}

/** Links words to the page of a resource, or returns the words alone when this person has none. */
export function subjectLink(
  request: Pick<ScreenRequest<'console'>, 'at' | 'can'>,
  { noun, id, words }: { noun: Noun | null; id: string; words: Piece },
): Html {
  const to = addressOf(request, noun, id)
  return to === null ? html`${words}` : html`<a class="over" href="${to}">${words}</a>`
}
