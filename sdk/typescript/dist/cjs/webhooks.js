"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.SignatureError = void 0;
exports.verify = verify;
exports.sign = sign;
exports.secretsIn = secretsIn;
exports.signaturesIn = signaturesIn;
exports.collect = collect;
/** Seconds that a signature may be old, or new. */
const TOLERANCE_S = 300;
/** The most bytes of a body that is read from a stream. The service sends at most 64 kB. */
const BODY_MAX = 1_000_000;
/** A request that is not proven to come from the service. The message says what to do. */
class SignatureError extends Error {
    name = 'SignatureError';
    reason;
    constructor(reason, message) {
        super(message);
        this.reason = reason;
    }
}
exports.SignatureError = SignatureError;
/**
 * Verifies a webhook on the bytes as they came, and returns its event.
 * @param input the request itself, or its raw body together with `headers`
 * @param secret the secret of the endpoint, `whsec_…`; several while you replace it
 * @throws SignatureError when it is not proven; TypeError when a secret is empty
 */
async function verify(input, secret, options = {}) {
    const secrets = secretsIn(secret);
    const signatures = signaturesIn(options.headers ?? input.headers ?? {});
    const body = await bytesOf(input);
    let offset = null;
    for (const { time, code } of signatures) {
        for (const one of secrets) {
            if (!(await isRight(one, time, body, code)))
                continue;
            offset = Math.round(Date.now() / 1_000 - Number(time));
            if (Math.abs(offset) <= (options.tolerance ?? TOLERANCE_S))
                return JSON.parse(new TextDecoder().decode(body));
        }
    }
    if (offset === null)
        throw new SignatureError('wrong_signature', 'The signature does not match: check that the secret is that of this endpoint and mode, and that the body is the bytes as they came.');
    throw new SignatureError('wrong_time', `The signature is right, but its time is ${Math.abs(offset)} s ${offset > 0 ? 'behind' : 'ahead of'} this machine's clock: set the clock, or refuse it as a replay.`);
}
/** Signs a body as the service does. For tests. @param time seconds since 1970 */
async function sign(body, secret, time = Math.floor(Date.now() / 1_000)) {
    const code = await crypto.subtle.sign('HMAC', await keyFor(secret, 'sign'), messageOf(String(time), encode(body)));
    return `t=${time},v1=${Array.from(new Uint8Array(code), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
/** Returns the secrets. @throws TypeError when there is none, or one is empty, because everybody could sign with it */
function secretsIn(secret) {
    const secrets = typeof secret === 'string' ? [secret] : (secret ?? []);
    if (secrets.length > 0 && secrets.every((one) => typeof one === 'string' && one !== ''))
        return secrets;
    throw new TypeError('The signing secret is empty: set the whsec_… that the console showed with your endpoint.');
}
/**
 * Reads every signature, whatever prefix the brand gives its headers. While a secret is replaced there are two.
 * @throws SignatureError when there is none: its body is not worth reading
 */
function signaturesIn(headers) {
    const found = [];
    const read = (value, name) => {
        if (!/-signature(-previous)?$/i.test(name))
            return;
        for (const text of [value].flat()) {
            const [, time, hex] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(String(text)) ?? [];
            if (time !== undefined)
                found.push({ time, code: Uint8Array.from(hex.match(/../g), (two) => Number.parseInt(two, 16)) });
        }
    };
    if (typeof headers.forEach === 'function')
        headers.forEach(read);
    else
        for (const [name, value] of Object.entries(headers))
            read(value, name);
    if (found.length > 0)
        return found;
    throw new SignatureError('no_signature', 'No header of this request ends in -Signature: it is not from the service, or a proxy dropped the header; pass the headers on.');
}
const encode = (text) => new TextEncoder().encode(text);
function keyFor(secret, use) {
    return crypto.subtle.importKey('raw', encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}
function messageOf(time, body) {
    const begin = encode(`${time}.`);
    const message = new Uint8Array(begin.length + body.length);
    message.set(begin);
    message.set(body, begin.length);
    return message;
}
/** Compares in constant time, as WebCrypto does. */
async function isRight(secret, time, body, code) {
    return crypto.subtle.verify('HMAC', await keyFor(secret, 'verify'), code, messageOf(time, body));
}
const PARSED = 'The body was parsed before, and its bytes are gone: verify before any JSON parser; in Express put express.raw({ type: "application/json" }) on this route, in NestJS set rawBody: true, in Next pages bodyParser: false.';
/** Reads the bytes as they came. @throws SignatureError when something has read or parsed them before */
async function bytesOf(input) {
    if (typeof input === 'string')
        return encode(input);
    if (input instanceof Uint8Array)
        return input;
    const { body, rawBody, bodyUsed, arrayBuffer, readableEnded } = (input ?? {});
    if (typeof arrayBuffer === 'function') {
        if (bodyUsed === true)
            throw new SignatureError('body_used', 'The body of this request was read before: verify first, and use the event that verify returns, or pass a clone.');
        const stream = body;
        if (typeof stream?.getReader === 'function')
            return collect(partsOf(stream));
        return new Uint8Array(await input.arrayBuffer());
    }
    for (const kept of [rawBody, body]) {
        if (kept instanceof Uint8Array)
            return kept;
        if (typeof kept === 'string')
            return encode(kept);
    }
    const isRead = body !== undefined || readableEnded === true;
    if (isRead || typeof input?.[Symbol.asyncIterator] !== 'function')
        throw new SignatureError('body_parsed', PARSED);
    return collect(input);
}
/** Reads a stream of the web. Not every runtime iterates over one. */
async function* partsOf(stream) {
    const reader = stream.getReader();
    try {
        for (let part = await reader.read(); !part.done; part = await reader.read())
            yield part.value;
    }
    finally {
        // Not awaited: a stream may take its time to end.
        reader.cancel().catch(() => { });
    }
}
/** Reads a body, and no more of it than the service would send. @throws SignatureError when it is longer */
async function collect(stream) {
    const parts = [];
    let length = 0;
    for await (const part of stream) {
        const bytes = typeof part === 'string' ? encode(part) : part;
        parts.push(bytes);
        length += bytes.length;
        if (length > BODY_MAX)
            throw new SignatureError('wrong_signature', 'The body has more than a megabyte: it is not from the service.');
    }
    const whole = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
        whole.set(part, at);
        at += part.length;
    }
    return whole;
}
