import { seal, unseal } from '../../platform/sealing.ts'

/** A form that waits for a sign-in: its address and its fields. */
export type KeptForm = { readonly to: string; readonly fields: readonly (readonly [string, string])[] }

/** The most bytes of a kept form, so that it returns in one field (`readFields`). Our forms are shorter. */
const KEPT_MAX = 11_000

/** Encrypts a form for the sign-in page, so that nobody else can make a form that a person then submits without having typed it. */
export function keepForm(key: Buffer, form: KeptForm): string | null {
  const text = JSON.stringify(form)
  return Buffer.byteLength(text) > KEPT_MAX ? null : seal(key, text, 'kept form').toString('base64url')
}

/** Decrypts a kept form. Null when there is none, or another service encrypted it. */
export function readKeptForm(key: Buffer, text: string): KeptForm | null {
  if (text === '') return null
  try {
    return JSON.parse(unseal(key, Buffer.from(text, 'base64url'), 'kept form')) as KeptForm
  } catch {
    return null
  }
}

/** Returns our own address to continue at. Any other address becomes the door's first page. */
export function safeNext(next: string | null, door: 'console' | 'desk'): string {
  return next !== null && /^\/(?:console|desk)\/[\w\-/.?=&%+]*$/.test(next) && !next.includes('//') ? next : `/${door}`
}
