import { maskNumbers } from '../values/msisdn.ts'

/** The start of an event's body for a page, with phone numbers masked, and the size of the whole in bytes. `body_cut`: more follows. */
export type ShownBody = { readonly body_start: string; readonly body_bytes: number; readonly body_cut: boolean }

/**
 * Masks the phone numbers in the start of a body. Digits right before the cut are left out: they could be the start of a number, too
 * short to be recognised.
 */
export function shownBody({ body_start, body_bytes }: Omit<ShownBody, 'body_cut'>): ShownBody {
  const body_cut = body_bytes > Buffer.byteLength(body_start)
  return { body_start: maskNumbers(body_cut ? body_start.replace(/\+?\d*$/, '') : body_start), body_bytes, body_cut }
}
