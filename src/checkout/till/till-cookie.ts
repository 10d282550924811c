import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { sha256 } from '../../platform/digest.ts'

/** Days for which a browser keeps the cookie; the database decides how long it is valid. */
const KEPT_DAYS = 400

/** The session of a telephone, as its cookie holds it: 256 random bits. Null when it sent none. */
export function readTillCookie({ cookie }: IncomingHttpHeaders): string | null {
  return /(?:^|;\s*)till=([\w-]{43})(?:;|$)/.exec(cookie ?? '')?.[1] ?? null
}

/** The session that a call is about, for its turn. */
export const aboutTill = { session: readTillCookie } as const

/** A new session, with the hash that the database keeps. */
export function newTillSession(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: hashOfTill(token) }
}

export const hashOfTill = (token: string): Buffer => sha256(`till ${token}`)

/** Sent to the pages of tills only, and to no other site but by a link that a person follows. */
export function tillCookie(token: string, secure: boolean): Readonly<Record<string, string>> {
  const kept = `Max-Age=${token === '' ? 0 : KEPT_DAYS * 86_400}`
  return { 'Set-Cookie': `till=${token}; Path=/till; HttpOnly; SameSite=Lax; ${kept}${secure ? '; Secure' : ''}` }
}
