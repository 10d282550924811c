import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** Days for which a browser is known again; each sign-in page begins them anew. */
const MARK_DAYS = 400

/** The name of a cookie: behind https one that no other host or path can set, and plain on a machine of one's own. */
function nameFor(what: 'session' | 'browser', secure: boolean): string {
  return secure ? `__Host-${what}` : what
}

/** The token that a browser sent; null: none. */
export function readSessionCookie(headers: IncomingHttpHeaders, secure: boolean): string | null {
  return readCookie(headers, nameFor('session', secure))
}

function readCookie({ cookie }: IncomingHttpHeaders, name: string): string | null {
  const begins = `${name}=`
  const found = (cookie ?? '').split(';').find((part) => part.trimStart().startsWith(begins))
  return found === undefined ? null : found.trim().slice(begins.length)
}

/** The header that keeps a token until the browser closes; the database decides for how long it opens anything. */
export function sessionCookie(token: string, secure: boolean): string {
  return cookieOf('session', token, secure)
}

/** The header that forgets it. */
export function endedCookie(secure: boolean): string {
  return `${sessionCookie('', secure)}; Max-Age=0`
}

/** The mark by which a browser is known again after it has signed out; null: it has none, or one that we did not make. */
export function readBrowserMark(headers: IncomingHttpHeaders, secure: boolean): string | null {
  const mark = readCookie(headers, nameFor('browser', secure))
  return mark !== null && /^[\w-]{43}$/.test(mark) ? mark : null
}

/** The header with which the sign-in page marks a browser, or marks it for longer. The mark opens nothing. */
export function markCookie(mark: string | null, secure: boolean): string {
  const kept = mark ?? randomBytes(32).toString('base64url')
  return `${cookieOf('browser', kept, secure)}; Max-Age=${MARK_DAYS * 86_400}`
}

function cookieOf(what: 'session' | 'browser', value: string, secure: boolean): string {
  return `${nameFor(what, secure)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}
