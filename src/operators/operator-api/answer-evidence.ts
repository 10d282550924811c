import { maskNumbers } from '../../values/msisdn.ts'
import type { Evidence } from '../port.ts'
import type { OperatorReply } from './operator-http.ts'

/** Most characters of one word of an answer. */
const WORD_MAX = 200

/**
 * The evidence of an operator's reply: its status, and the words that the connector names. We keep nothing else of an
 * answer, because it can contain phone numbers, and secrets of ours that a gateway repeats.
 */
export function evidenceOf(reply: OperatorReply, words: Readonly<Record<string, unknown>> = {}): Evidence {
  if (reply.kind !== 'answered') return { reply: reply.kind, reason: reply.reason }
  return { http: reply.status, ...formOf(reply), ...keptWords(words) }
}

function formOf(reply: Extract<OperatorReply, { kind: 'answered' }>): Evidence {
  if (reply.compressed !== undefined) return { body: `the answer is ${reply.compressed}, although we asked for none` }
  return 'json' in reply ? {} : { body: 'no JSON', bytes: Buffer.byteLength(reply.body) }
}

/** The texts and numbers among these words, as texts of bounded length with masked phone numbers. */
export function keptWords(words: Readonly<Record<string, unknown>>): Evidence {
  const kept = Object.entries(words).flatMap(([name, word]) => {
    const text = textOf(word)
    return text === null ? [] : [[name, maskNumbers(text).slice(0, WORD_MAX)] as const]
  })
  return Object.fromEntries(kept)
}

function textOf(word: unknown): string | null {
  if (typeof word === 'string') return word
  if (typeof word === 'number' || typeof word === 'boolean') return String(word)
  // A number in the operator's own spelling.
  if (typeof word === 'object' && word !== null && 'text' in word && typeof word.text === 'string') return word.text
  return null
}
