import type { IncomingHttpHeaders } from 'node:http'

/** The name of the cookie: behind https one that no other host or path can set, and plain on a machine of one's own. */
function nameFor(secure: boolean): string {
  return secure ? '__Host-session' : 'session'
}

/** The token that a browser sent; null: none. */
export function readSessionCookie({ cookie }: IncomingHttpHeaders, secure: boolean): string | null {
  const begins = `${nameFor(secure)}=`
  const found = (cookie ?? '').split(';').find((part) => part.trimStart().startsWith(begins))
  return found === undefined ? null : found.trim().slice(begins.length)
}

/** The header that keeps a token until the browser closes; the database decides for how long it opens anything. */
export function sessionCookie(token: string, secure: boolean): string {
  return `${nameFor(secure)}=${token}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
}

/** The header that forgets it. */
export function endedCookie(secure: boolean): string {
  return `${sessionCookie('', secure)}; Max-Age=0`
}
