import assert from 'node:assert/strict'
import type { Words } from '../../src/values/language.ts'

/** Returns a connector's English text for people, after a check that each language has one or two sentences, and different ones. */
export function englishOf(words: Words): string {
  for (const text of words) assert.match(text, /^[^\n]{20,300}[.]$/)
  assert.notEqual(words[0], words[1])
  assert.doesNotMatch(words[0], /\b(?:the|is|and not|answered)\b/, 'no English in the French')
  return words[1]
}
