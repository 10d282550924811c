import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorBody } from '../platform/http/refusal.ts'
import { type PageRefusal, pageRefusalStatuses, type View } from './page-facts.ts'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Shorter answers are not worth packing. */
const PACKED_FROM_BYTES = 600

/**
 * What a page may do. Nothing comes from elsewhere, nothing inline runs, of styles only the one with this hash applies,
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

/** What both forms of an answer need to know. */
export type Sending = {
  request: FastifyRequest
  reply: FastifyReply
  /** Payers reach us over https. */
  secure: boolean
}

/** Sends a page, packed as the browser can unpack it. */
export async function sendView(sending: Sending, status: number, view: View, more: Record<string, string> = {}) {
  const { reply, secure } = sending
  reply.headers({ ...pageHeaders(view.style_hashes, secure), ...more }).code(status)
  return sendPacked(sending, 'text/html; charset=utf-8', view.html)
}

/** Sends the JSON form of a page. */
export async function sendFacts(sending: Sending, status: number, facts: object) {
  sending.reply.headers(pageHeaders([], sending.secure)).code(status)
  return sendPacked(sending, 'application/json; charset=utf-8', JSON.stringify(facts))
}

/** Sends a refusal in the shape of the interface. */
export async function sendRefusal(sending: Sending, code: PageRefusal, more: Record<string, string> = {}) {
  sending.reply.headers({ ...pageHeaders([], sending.secure), ...more }).code(pageRefusalStatuses[code])
  return sendPacked(sending, 'application/json; charset=utf-8', errorBody(code))
}

/** Sends whoever posted to a page of ours by GET, so that a reload sends nothing again. */
export async function sendTo({ reply, secure }: Sending, path: string) {
  return reply
    .headers({ ...pageHeaders([], secure), Location: path })
    .code(303)
    .send()
}

/** Sends a body, smaller where the other side can unpack it. */
export async function sendPacked(
  { request, reply }: Pick<Sending, 'request' | 'reply'>,
  type: string,
  body: string | Buffer,
) {
  const bytes = Buffer.from(body)
  const accepted = String(request.headers['accept-encoding'] ?? '')
  reply.header('Content-Type', type)
  if (bytes.length < PACKED_FROM_BYTES) return reply.send(bytes)
  if (/\bbr\b/.test(accepted)) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
    return reply.header('Content-Encoding', 'br').send(await brotli(bytes, { params }))
  }
  if (/\bgzip\b/.test(accepted)) return reply.header('Content-Encoding', 'gzip').send(await zip(bytes))
  return reply.send(bytes)
}
