import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { seal, unseal } from '../../platform/sealing.ts'

/** A form that waits for a sign-in: its address and its fields. */
export type KeptForm = { readonly to: string; readonly fields: readonly (readonly [string, string])[] }

/** The most bytes of a compressed form, so that it returns in one field (`readFields`). The longest form, 25 lines of a batch, fits with ordinary texts. */
const KEPT_MAX = 11_000

/** Compresses and encrypts a form for the sign-in page, so that nobody else can make a form that a person then submits without having typed it. */
export function keepForm(key: Buffer, form: KeptForm): string | null {
  const text = deflateRawSync(JSON.stringify(form)).toString('base64')
  return Buffer.byteLength(text) > KEPT_MAX ? null : seal(key, text, 'kept form').toString('base64url')
}

/** Decrypts a kept form. Null when there is none, or another service encrypted it. */
export function readKeptForm(key: Buffer, text: string): KeptForm | null {
  if (text === '') return null
  try {
    const packed = unseal(key, Buffer.from(text, 'base64url'), 'kept form')
    return JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString('utf8')) as KeptForm
  } catch {
    return null
  }
}

/** Returns our own address to continue at. Any other address becomes the door's first page. */
export function safeNext(next: string | null, door: 'console' | 'desk'): string {
  return next !== null && /^\/(?:console|desk)\/[\w\-/.?=&%+]*$/.test(next) && !next.includes('//') ? next : `/${door}`
}
