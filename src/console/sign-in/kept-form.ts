import { seal, unseal } from '../../platform/sealing.ts'

/** A form that waits for a sign-in: where it was going, and what was typed. */
export type KeptForm = { readonly to: string; readonly fields: readonly (readonly [string, string])[] }

/** Bytes of it at most, so that it comes back in one field (`readFields`); no form of ours is longer. */
const KEPT_MAX = 11_000

/** Seals a form for the page that asks to sign in, so that nobody else can make one that a person sends without having typed it. */
export function keepForm(key: Buffer, form: KeptForm): string | null {
  const text = JSON.stringify(form)
  return Buffer.byteLength(text) > KEPT_MAX ? null : seal(key, text, 'kept form').toString('base64url')
}

/** The form that was kept; null: none, or not sealed by this service. */
export function readKeptForm(key: Buffer, text: string): KeptForm | null {
  if (text === '') return null
  try {
    return JSON.parse(unseal(key, Buffer.from(text, 'base64url'), 'kept form')) as KeptForm
  } catch {
    return null
  }
}

/** An address of ours to go on to; anything else leads to the door's first page. */
export function safeNext(next: string | null, door: 'console' | 'desk'): string {
  return next !== null && /^\/(?:console|desk)\/[\w\-/.?=&%+]*$/.test(next) && !next.includes('//') ? next : `/${door}`
}
