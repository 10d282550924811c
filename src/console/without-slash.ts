import type { IncomingMessage } from 'node:http'
import type { Answer } from '../platform/http/refusal.ts'

/** A page's address with slashes behind it: whole parts between single slashes, so that what is left never names another host. */
const slashed = /^(\/(?:console|desk)(?:\/[\w.~-]+)*)\/+$/

/**
 * Leads from an address of the console or the desk with a slash behind it to the one without, as people type it. Null: it is none, or is not
 * read (GET, HEAD).
 */
export function leadWithoutSlash({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): Answer | null {
  if (method !== 'GET' && method !== 'HEAD') return null
  const at = url.indexOf('?')
  const path = slashed.exec(at < 0 ? url : url.slice(0, at))?.[1]
  if (path === undefined) return null
  const query = at < 0 ? '' : url.slice(at)
  const Location = /^[\x21-\x7e]*$/.test(query) ? `${path}${query}` : path
  return { status: 308, body: '', error_code: null, headers: { Location } }
}
