import type { Call, Keyed } from './options.js';
/**
 * Returns the key of a call that moves money out.
 * @throws TypeError when the caller gave none that outlives its program
 */
export declare function keyOf(call: Keyed | undefined): string;
/** Returns the key of a payment: the caller's, or one that follows from its reference, or else a new one, which protects this call alone. */
export declare function paymentKey({ idempotencyKey }: Call, reference: string | null | undefined): Promise<string>;
