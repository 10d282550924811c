import { maskNumbers } from '../../values/msisdn.ts'
import type { Evidence } from '../port.ts'
import type { OperatorReply } from './operator-http.ts'

/** Characters of one word of an operator's that are kept. */
const WORD_MAX = 200

/**
 * The evidence of an operator's reply: its status, and those of its words that the connector names. Nothing else of an answer is kept, because
 * it may hold numbers, and secrets of ours that a gateway repeats.
 */
export function evidenceOf(reply: OperatorReply, words: Readonly<Record<string, unknown>> = {}): Evidence {
  if (reply.kind !== 'answered') return { reply: reply.kind, reason: reply.reason }
  const readable = 'json' in reply ? {} : { body: 'no JSON', bytes: Buffer.byteLength(reply.body) }
  return { http: reply.status, ...readable, ...keptWords(words) }
}

/** Texts and numbers among some words, as texts of bounded length in which telephone numbers are masked. */
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
  // A number that is kept as it was written.
  if (typeof word === 'object' && word !== null && 'text' in word && typeof word.text === 'string') return word.text
  return null
}
