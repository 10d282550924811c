import { maskNumbers } from '../values/msisdn.ts'

/** The start of an event's body as a page shows it, numbers masked, and how many bytes the whole has. `body_cut`: more follows. */
export type ShownBody = { readonly body_start: string; readonly body_bytes: number; readonly body_cut: boolean }

/**
 * Masks the numbers in the start of a body. The figures before a cut are left out: of a number across it they would be too few
 * to be known as one.
 */
export function shownBody({ body_start, body_bytes }: Omit<ShownBody, 'body_cut'>): ShownBody {
  const body_cut = body_bytes > Buffer.byteLength(body_start)
  return { body_start: maskNumbers(body_cut ? body_start.replace(/\+?\d*$/, '') : body_start), body_bytes, body_cut }
}
