import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** The days for which a browser is recognised. Each sign-in page begins them again. */
const MARK_DAYS = 400

/** Returns the name of a cookie: over https with a prefix, so that no other host or path can set it; plain on one's own machine. */
function nameFor(what: 'session' | 'browser', secure: boolean): string {
  return secure ? `__Host-${what}` : what
}

/** Reads the token that a browser sent. Null when there is none. */
export function readSessionCookie(headers: IncomingHttpHeaders, secure: boolean): string | null {
  return readCookie(headers, nameFor('session', secure))
}

/** The session that a call is about, for its turn. Whether the token is valid is read at that turn. */
export const aboutSession = {
  session: (headers: IncomingHttpHeaders) => readSessionCookie(headers, true) ?? readSessionCookie(headers, false),
} as const

function readCookie({ cookie }: IncomingHttpHeaders, name: string): string | null {
  const begins = `${name}=`
  const found = (cookie ?? '').split(';').find((part) => part.trimStart().startsWith(begins))
  return found === undefined ? null : found.trim().slice(begins.length)
}

/** Returns the header that stores a token until the browser closes. The database decides how long the token is valid. */
export function sessionCookie(token: string, secure: boolean): string {
  return cookieOf('session', token, secure)
}

/** Returns the header that deletes the token. */
export function endedCookie(secure: boolean): string {
  return `${sessionCookie('', secure)}; Max-Age=0`
}

/** Reads the mark that identifies a browser after a sign-out. Null when it has none, or one that we did not make. */
export function readBrowserMark(headers: IncomingHttpHeaders, secure: boolean): string | null {
  const mark = readCookie(headers, nameFor('browser', secure))
  return mark !== null && /^[\w-]{43}$/.test(mark) ? mark : null
}

/** Returns the header with which the sign-in page marks a browser or renews its mark. The mark gives no access. */
export function markCookie(mark: string | null, secure: boolean): string {
  const kept = mark ?? randomBytes(32).toString('base64url')
  return `${cookieOf('browser', kept, secure)}; Max-Age=${MARK_DAYS * 86_400}`
}

function cookieOf(what: 'session' | 'browser', value: string, secure: boolean): string {
  return `${nameFor(what, secure)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}
