/** The operations that staff read in a merchant's console, because the desk has no page of them, with the folder of their pages. */
const folders = { payment: '/payments', payout: '/payouts', batch: '/batches' } as const

/** Returns the page of an operation below the address of a merchant's console: `/payments/txn_01jd3c`. */
export function consolePageOf(kind: keyof typeof folders, id: string): string {
  return `${folders[kind]}/${id}`
}

/** Reads a page that `consolePageOf` wrote, from an address or a form. Empty when it is none. */
export function readConsolePage(text: string | null): string {
  return /^\/(?:payments\/txn|payouts\/txn|batches\/pob)_[0-9A-Za-z]{1,64}$/.test(text ?? '') ? text! : ''
}
