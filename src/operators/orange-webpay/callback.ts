import type { IncomingHttpHeaders } from 'node:http'
import { parseStrictJson } from '../../platform/http/strict-json.ts'
import { keptWords } from '../operator-api/answer-evidence.ts'
import { type Fields, objectIn } from '../operator-api/answer-words.ts'
import type { CallbackReading } from '../port.ts'
import { referenceOf, wordsOf } from './translate.ts'

const DEPTH_MAX = 32

/**
 * Reads a notice of Orange. It has no signature and names no order: the order is in its address, after a secret token. So
 * it is no more than a hint. Its `notif_token` must be that of the reply to the announcement. The notice is JSON, or a
 * query when Orange sends it by GET.
 */
export function readCallback(raw: Buffer, _headers: IncomingHttpHeaders, about: string | null): CallbackReading {
  const reference = about === null ? null : referenceOf(about)
  const words = wordsIn(raw)
  if (reference === null || typeof words?.notif_token !== 'string') return { kind: 'forged' }
  const token = { name: 'notif_token', value: words.notif_token }
  return { kind: 'about', reference, token, evidence: { signed: false, ...keptWords(wordsOf(words)) } }
}

function wordsIn(raw: Buffer): Fields | null {
  const parsed = parseStrictJson(raw, 'everywhere', DEPTH_MAX)
  if (parsed.kind === 'parsed') return objectIn(parsed.value)
  return Object.fromEntries(new URLSearchParams(raw.toString('utf8')))
}
