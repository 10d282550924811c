import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Answer } from '../refusal.ts'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Shorter answers are not worth packing. */
const PACKED_FROM_BYTES = 600

/**
 * The content security policy of a page. Nothing comes from elsewhere, nothing inline runs, only the styles with these hashes apply,
 * and nobody frames it.
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
 * The headers of every page, beside those of every answer (`no-store` and `nosniff` among them). The address, which is a
 * secret, is told to no other site.
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

/** The recipient of an answer, as far as the answer's form depends on it. */
export type Recipient = {
  readonly headers: IncomingHttpHeaders
  /** Payers reach us over https. */
  readonly secure: boolean
}

/** Sends whoever posted to a page of ours by GET, so that a reload sends nothing again. */
export function redirectAnswer(
  { secure }: Recipient,
  path: string,
  more: Readonly<Record<string, string>> = {},
): Answer {
  return { status: 303, body: '', error_code: null, headers: { ...pageHeaders([], secure), ...more, Location: path } }
}

/** An answer whose body is smaller where the other side can unpack it. */
export async function packed({ headers }: Pick<Recipient, 'headers'>, answer: Answer): Promise<Answer> {
  const bytes = Buffer.from(answer.body)
  const accepted = String(headers['accept-encoding'] ?? '')
  if (bytes.length < PACKED_FROM_BYTES) return answer
  if (/\bbr\b/.test(accepted)) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    return withEncoding(answer, 'br', await brotli(bytes, { params }))
  }
  return /\bgzip\b/.test(accepted) ? withEncoding(answer, 'gzip', await zip(bytes)) : answer
}

function withEncoding(answer: Answer, encoding: string, body: Buffer): Answer {
  return { ...answer, body, headers: { ...answer.headers, 'Content-Encoding': encoding } }
}
