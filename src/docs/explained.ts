import type { Words } from '../values/language.ts'

/**
 * Whether money moved when a request got this code:
 * - `no`: refused before anything was written, so it moved nothing;
 * - `before`: refused before the service looked for an earlier use of the key, so an earlier call with it may have moved money;
 * - `elsewhere`: this request moved nothing; the earlier one that it met may have;
 * - `unknown`: no answer proves that nothing happened;
 * - `reading`: no request with this code can move money.
 */
export type Moved = 'no' | 'before' | 'elsewhere' | 'unknown' | 'reading'

/** What a developer asks about a code at three in the morning: what happened, did money move, what now? */
export type Explained = { readonly happened: Words; readonly money: Moved; readonly todo: Words }
