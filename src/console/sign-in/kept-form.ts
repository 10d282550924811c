import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { seal, unseal } from '../../platform/sealing.ts'
import { FIELD_MAX } from '../read-fields.ts'

/** A form that waits for a sign-in: its address and its fields. */
export type KeptForm = { readonly to: string; readonly fields: readonly (readonly [string, string])[] }

/** The most characters of a kept form, so that the sign-in's own form has room beside it (`FORM_MAX_BYTES`). Any form of ordinary text fits. */
const KEPT_MAX = 120_000

/** The person who typed a form, and the mark of their browser (`readBrowserMark`). */
type Typist = { readonly person_id: string; readonly mark: string }

/**
 * Binds a kept form to its person and browser: another person with a session of their own can make one too, and lead somebody to submit it, and
 * a colleague may sign in on the page that was left open.
 */
const placeOf = ({ person_id, mark }: Typist) => `form of ${person_id} kept in the browser ${mark}`

/**
 * Compresses and encrypts a form for the next sign-in of the same person in the same browser, so that nobody else can make a form that a person then submits
 * without having typed it. Null for a form that is too long even so.
 */
export function keepForm(key: Buffer, typist: Typist, form: KeptForm): string | null {
  const text = deflateRawSync(JSON.stringify(form)).toString('base64')
  const kept = seal(key, text, placeOf(typist)).toString('base64url')
  return kept.length > KEPT_MAX ? null : kept
}

/** The parts of a kept form that are as long as one field may be. Fields of one name carry them through the sign-in. */
export function partsOfKept(kept: string): string[] {
  return kept.match(new RegExp(`.{1,${FIELD_MAX}}`, 'g')) ?? []
}

/** Decrypts a kept form from its parts. Null when there is none, or it was kept for another person, in another browser or by another service. */
export function readKeptForm(key: Buffer, typist: Typist | null, parts: readonly string[]): KeptForm | null {
  const text = parts.join('')
  if (text === '' || typist === null) return null
  try {
    const packed = unseal(key, Buffer.from(text, 'base64url'), placeOf(typist))
    return JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString('utf8')) as KeptForm
  } catch {
    return null
  }
}

/** Returns our own address to continue at. Any other address becomes the door's first page. */
export function safeNext(next: string | null, door: 'console' | 'desk'): string {
  return next !== null && /^\/(?:console|desk)\/[\w\-/.?=&%+]*$/.test(next) && !next.includes('//') ? next : `/${door}`
}
