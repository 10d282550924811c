import { asSeen } from '../../values/as-seen.ts'
import { readReference } from '../link-address.ts'
import { readFrancs } from '../page/request.ts'
import type { TillQuestion } from './till-store.ts'

/** The most characters of a question. */
export const QUESTION_MAX = 60

/**
 * Reads what a person at a till typed or heard: the code of a receipt in any letter case, also with O for 0 and I or L for 1, its short reference, an
 * amount, or the reference of an order. Each meaning is tried. Null for nothing readable.
 */
export function readQuestion(written: string): TillQuestion | null {
  const text = asSeen(written.slice(0, QUESTION_MAX)).trim()
  if (text === '') return null
  const letters = text
    .toLowerCase()
    .replace(/[\s\-\u2013\u2014.]/g, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1')
  const code = /^(?:[0-9a-z]{6})?([0-9a-hjkmnp-tv-z]{4})$/.exec(letters)?.[1] ?? null
  return { code, amount: readFrancs(text), reference: readReference(text) }
}
