import type { CallbackReading } from '../port.ts'

/** Moov has no known callback. A call to the callback address does not come from Moov. */
export function readCallback(): CallbackReading {
  return { kind: 'forged' }
}
