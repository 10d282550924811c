"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.keyOf = keyOf;
exports.paymentKey = paymentKey;
/** The least and the most characters of a key. */
const KEY_MIN = 8;
const DERIVED_MAX = 250;
/**
 * Returns the key of a call that moves money out.
 * @throws TypeError when the caller gave none that outlives its program
 */
function keyOf(call) {
    const key = call?.idempotencyKey;
    if (typeof key === 'string' && key.length >= KEY_MIN)
        return key;
    throw new TypeError('idempotencyKey is required here: at least 8 characters that you stored with your order before this call, so that a program that crashed can call again without paying twice.');
}
/** Returns the key of a payment: the caller's, or one that follows from its reference, or else a new one, which protects this call alone. */
async function paymentKey({ idempotencyKey }, reference) {
    if (idempotencyKey !== undefined || !reference)
        return idempotencyKey ?? crypto.randomUUID();
    const bytes = new TextEncoder().encode(reference);
    const key = `ref:${base64url(bytes)}`;
    return key.length <= DERIVED_MAX
        ? key
        : `ref:${base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))}`;
}
function base64url(bytes) {
    const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
    return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
