import { type IdPrefix, looksLikeId } from '../../values/ids.ts'

// The resources that staff read in a merchant's console, because the desk has no page of them.

/** The folders of operations. A payment and a payout have the same prefix. */
const operations = { payment: '/payments', payout: '/payouts', batch: '/batches' } as const

/** The pages of other resources, by the prefix of their identifiers. After a slash at the end follows the identifier. */
const pages = {
  por: '/approvals/',
  cs: '/sessions/',
  lnk: '/links/',
  evt: '/events/',
  dlv: '/webhooks/deliveries/',
  whe: '/webhooks',
  pbd: '/batches/drafts/',
  dep: '/statement',
  mov: '/statement',
  vis: '/visits',
} as const satisfies Partial<Record<IdPrefix, string>>

/** The prefix of an identifier of a resource with a page in its merchant's console. */
export type ConsolePrefix = keyof typeof pages

const prefixes = Object.keys(pages) as ConsolePrefix[]

const withId = prefixes
  .filter((prefix) => pages[prefix].endsWith('/'))
  .map((prefix) => `${pages[prefix].slice(1)}${prefix}`)
const ofOne = `(?:payments/txn|payouts/txn|batches/pob|${withId.join('|')})_[0-9A-Za-z]{1,64}`
const ofUuid = '(?:beneficiaries/|requests\\?request_id=)[0-9a-f-]{36}'
const readable = new RegExp(`^/(?:${ofOne}|webhooks|statement|visits|keys|destination|${ofUuid})$`)

/** Returns the page of an operation below the address of a merchant's console: `/payments/txn_01jd3c`. */
export function consolePageOf(kind: keyof typeof operations, id: string): string {
  return `${operations[kind]}/${id}`
}

/** Returns the prefix of another resource's identifier, and its page, also for the merchant's own search. Null when none has this prefix. */
export function consolePageById(id: string): { prefix: ConsolePrefix; page: string } | null {
  const prefix = prefixes.find((one) => looksLikeId(one, id))
  if (prefix === undefined) return null
  const page = pages[prefix]
  return { prefix, page: page.endsWith('/') ? `${page}${id}` : page }
}

/** Returns the fields with a page of the console for the address of a merchant on the desk. Empty without a page. */
export function consolePageField(page: string): string {
  return page === '' ? '' : `operation=${page.replace('?', '%3F')}`
}

/** Reads a page that a function of this file, or `findById`, wrote, from an address or a form. Empty when it is none. */
export function readConsolePage(text: string | null): string {
  return readable.test(text ?? '') ? text! : ''
}
