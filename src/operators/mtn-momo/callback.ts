import type { IncomingHttpHeaders } from 'node:http'
import { parseStrictJson } from '../../platform/http/strict-json.ts'
import { keptWords } from '../operator-api/answer-evidence.ts'
import { objectIn } from '../operator-api/answer-words.ts'
import type { CallbackReading } from '../port.ts'
import { wordsOf } from './translate.ts'

const DEPTH_MAX = 32

/**
 * Reads a callback of MTN. MTN sends it once, by PUT or POST, without a signature. Only the token in the address vouches
 * for it, so it is no more than a hint. Its reference is in `externalId`, and sometimes also in a header or in
 * `referenceId`. A callback with contradictory references is refused.
 */
export function readCallback(raw: Buffer, headers: IncomingHttpHeaders): CallbackReading {
  const parsed = parseStrictJson(raw, 'everywhere', DEPTH_MAX)
  const body = parsed.kind === 'parsed' ? objectIn(parsed.value) : null
  if (body === null) return { kind: 'forged' }
  const named = [body.externalId, headers['x-reference-id'], body.referenceId].flatMap(referenceIn)
  const [reference] = named
  if (reference === undefined || named.some((one) => one !== reference)) return { kind: 'forged' }
  return { kind: 'about', reference, evidence: { signed: false, ...keptWords(wordsOf(body)) } }
}

/** A list with the reference in small letters. Empty when the value is not a reference. */
function referenceIn(value: unknown): string[] {
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? [text] : []
}
