import type { IncomingMessage } from 'node:http'
import { refusalAnswer } from './refusal.ts'

/** The headers that decide about a request, beside those of the version. A request says each of them once. */
export const decidingHeaders = [
  'authorization',
  'content-type',
  'idempotency-key',
  'x-reference-id',
  'content-digest',
  'signature',
  'signature-input',
  'signature-date',
  'wave-signature',
] as const

/** A credential that no key is. Two different ones name nobody, and are refused after the same time and work as a wrong key. */
const NOBODY = 'Bearer ,'

/**
 * Settles the headers that stand more than once: Node joins the values of some, and keeps the first of others. Equal values count as one.
 * Of a request with different ones, `authorization` becomes a credential that no key is, and `content-type` a type that no route takes, so
 * that their own checks refuse them.
 * @param names lower-case names of headers that decide
 * @returns the name of another header with different values, or null
 */
export function settleRepeated({ headers, rawHeaders }: IncomingMessage, names: readonly string[]): string | null {
  // Nearly every request says each of its headers once.
  let count = 0
  for (const _ in headers) count += 1
  if (count * 2 === rawHeaders.length) return null
  let contradictory: string | null = null
  for (const name of names) {
    const values = new Set(rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === name))
    if (values.size === 0) continue
    const [first] = values
    if (values.size === 1) headers[name] = first!
    else if (name === 'authorization') headers[name] = NOBODY
    else if (name === 'content-type') headers[name] = [...values].join(', ')
    else contradictory ??= name
  }
  return contradictory
}

/** The refusal of a request with different values of one header. */
export function contradictoryAnswer(name: string) {
  const message = `${name} was sent more than once, with different values. Send it once.`
  return refusalAnswer({ status: 400, code: 'invalid_request', message })
}
