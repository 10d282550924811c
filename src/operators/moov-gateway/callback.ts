import type { CallbackReading } from '../port.ts'

/** Nobody has seen a callback of Moov's: whatever comes to the address is not from it. */
export function readCallback(): CallbackReading {
  return { kind: 'forged' }
}
