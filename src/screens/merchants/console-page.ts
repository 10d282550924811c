import { type IdPrefix, looksLikeId } from '../../values/ids.ts'

// The resources that staff read in a merchant's console, because the desk has no page of them.

/** The folders of operations. A payment and a payout have the same prefix. */
const operations = { payment: '/payments', payout: '/payouts', batch: '/batches' } as const

/** The pages of other resources, by the prefix of their identifiers. `true`: the identifier is the end of the address. */
const pages: readonly (readonly [prefix: IdPrefix, path: string, ends: boolean])[] = [
  ['por', '/approvals', true],
  ['cs', '/sessions', true],
  ['lnk', '/links', true],
  ['evt', '/events', true],
  ['dlv', '/webhooks/deliveries', true],
  ['whe', '/webhooks', false],
  ['pbd', '/batches/drafts', true],
  ['dep', '/statement', false],
  ['mov', '/statement', false],
  ['vis', '/visits', false],
]

const readable = new RegExp(
  `^/(?:(?:payments/txn|payouts/txn|batches/pob|${pages
    .filter(([, , ends]) => ends)
    .map(([prefix, path]) => `${path.slice(1)}/${prefix}`)
    .join(
      '|',
    )})_[0-9A-Za-z]{1,64}|webhooks|statement|visits|keys|destination|(?:beneficiaries/|requests\\?request_id=)[0-9a-f-]{36})$`,
)

/** Returns the page of an operation below the address of a merchant's console: `/payments/txn_01jd3c`. */
export function consolePageOf(kind: keyof typeof operations, id: string): string {
  return `${operations[kind]}/${id}`
}

/** Returns the page of another resource by its identifier, also in the merchant's own search. Null when none has this prefix. */
export function consolePageById(id: string): string | null {
  const page = pages.find(([prefix]) => looksLikeId(prefix, id))
  if (page === undefined) return null
  const [, path, ends] = page
  return ends ? `${path}/${id}` : path
}

/** Returns the fields with a page of the console for the address of a merchant on the desk. Empty without a page. */
export function consolePageField(page: string): string {
  return page === '' ? '' : `operation=${page.replace('?', '%3F')}`
}

/** Reads a page that a function of this file, or `findById`, wrote, from an address or a form. Empty when it is none. */
export function readConsolePage(text: string | null): string {
  return readable.test(text ?? '') ? text! : ''
}
