import { sleep } from '../src/send.ts'
import type { Connection } from './connect.ts'
import { type Form, put } from './print.ts'

const POLL_MS = 2_000
/** Requests of one page, and the most pages that one look reads back. */
const PAGE = 100
const PAGES_MAX = 20
/** Ids that are remembered, so that a request is shown once. */
const SEEN_MAX = 10_000
/** Shown at the start. */
const FIRST = 20

type Logged = {
  id: string
  method: string
  path: string
  status: number
  error_code: string | null
  duration_ms: number
  created_at: string
}
type Page = { data: Logged[]; next: string | null }

const PATH = '/x/requests'

/** Shows the merchant's requests as they are answered, until the signal. Its own requests are left out. */
export async function tailLogs({ send }: Connection, form: Form, signal: AbortSignal): Promise<void> {
  const seen = new Set<string>()
  const call = { signal, retries: Number.POSITIVE_INFINITY }
  for (let first = true; !signal.aborted; first = false) {
    const fresh: Logged[] = []
    let from: string | null = null
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const query = { limit: PAGE, starting_after: from }
      const page: Page = await send<Page>({ method: 'GET', path: PATH, query, call })
      const unseen = page.data.filter(({ id }) => !seen.has(id))
      fresh.push(...unseen)
      // A page with something known ends the look back. A request may be written a moment after a later one.
      from = first || unseen.length < page.data.length ? null : page.next
      if (from === null) break
    }
    for (const { id } of fresh) seen.add(id)
    for (const id of seen) {
      if (seen.size <= SEEN_MAX) break
      seen.delete(id)
    }
    const shown = fresh.filter(({ path }) => path !== PATH).reverse()
    for (const one of first ? shown.slice(-FIRST) : shown)
      put(form.json || form.jsonl ? JSON.stringify(one) : lineOf(one))
    await sleep(POLL_MS, signal)
  }
}

function lineOf({ created_at, method, path, status, error_code, duration_ms, id }: Logged): string {
  const code = error_code === null ? '' : ` ${error_code}`
  return `${created_at}  ${status}${code}  ${method} ${path}  ${duration_ms} ms  ${id}`
}
