import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Answer } from '../refusal.ts'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** The least bytes of an answer that is worth compressing. */
const PACKED_FROM_BYTES = 600

/**
 * The content security policy of a page. It allows nothing from other sites, no inline script, only the inline styles with these hashes, and
 * no frame around the page.
 */
export function pagePolicy(style_hashes: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    ...(style_hashes.length > 0 ? [`style-src ${style_hashes.join(' ')}`] : []),
    'img-src data:',
    "connect-src 'self'",
    "form-action 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * The headers of every page, besides those of every answer (such as `no-store` and `nosniff`). They keep the browser from sending the
 * address, which is a secret, to other sites.
 */
export function pageHeaders(style_hashes: readonly string[], secure: boolean) {
  return {
    'Content-Security-Policy': pagePolicy(style_hashes),
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'X-Robots-Tag': 'noindex, nofollow',
    Vary: 'Accept, Accept-Encoding, Accept-Language',
    ...(secure ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  }
}

/** The properties of the client that change the form of the answer. */
export type Recipient = {
  readonly headers: IncomingHttpHeaders
  /** Whether payers reach us over https. */
  readonly secure: boolean
}

/** Redirects after a POST to a page by GET, so that a reload sends nothing again. */
export function redirectAnswer(
  { secure }: Recipient,
  path: string,
  more: Readonly<Record<string, string>> = {},
): Answer {
  return { status: 303, body: '', error_code: null, headers: { ...pageHeaders([], secure), ...more, Location: path } }
}

/** Compresses the body of an answer if the client accepts that. */
export async function packed({ headers }: Pick<Recipient, 'headers'>, answer: Answer): Promise<Answer> {
  const bytes = Buffer.from(answer.body)
  const encoding = encodingFor(headers)
  if (encoding === null || bytes.length < PACKED_FROM_BYTES) return answer
  if (encoding === 'gzip') return withEncoding(answer, encoding, await zip(bytes))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  return withEncoding(answer, encoding, await brotli(bytes, { params }))
}

/** Returns a function that compresses an answer that is always the same, once for each encoding. */
export function packedOnce(answer: Answer): (to: Pick<Recipient, 'headers'>) => Promise<Answer> {
  const made = new Map<string | null, Promise<Answer>>()
  const varied = { ...answer, headers: { ...answer.headers, Vary: 'Accept-Encoding' } }
  return (to) => {
    const encoding = encodingFor(to.headers)
    const known = made.get(encoding) ?? packed(to, varied)
    made.set(encoding, known)
    return known
  }
}

function encodingFor(headers: IncomingHttpHeaders): 'br' | 'gzip' | null {
  const accepted = String(headers['accept-encoding'] ?? '')
  if (/\bbr\b/.test(accepted)) return 'br'
  return /\bgzip\b/.test(accepted) ? 'gzip' : null
}

function withEncoding(answer: Answer, encoding: string, body: Buffer): Answer {
  return { ...answer, body, headers: { ...answer.headers, 'Content-Encoding': encoding } }
}
