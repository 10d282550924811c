import type { WebhookEvent } from './events.js';
export type { EventOf, EventType, WebhookEvent } from './events.js';
/** Headers, as `fetch` or as Node gives them. */
export type HeadersLike = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
/** A request of Node or of a framework on it: its stream, or the bytes that a parser of raw bodies kept. */
export type IncomingLike = AsyncIterable<Uint8Array | string> & {
    headers: Readonly<Record<string, string | readonly string[] | undefined>>;
    body?: unknown;
    rawBody?: unknown;
};
/** The reasons for which an event is not taken. */
export type SignatureReason = 'no_signature' | 'wrong_signature' | 'wrong_time' | 'body_parsed' | 'body_used';
/** A request that is not proven to come from the service. The message says what to do. */
export declare class SignatureError extends Error {
    name: string;
    readonly reason: SignatureReason;
    constructor(reason: SignatureReason, message: string);
}
/**
 * Verifies a webhook on the bytes as they came, and returns its event.
 * @param input the request itself, or its raw body together with `headers`
 * @param secret the secret of the endpoint, `whsec_…`; several while you replace it
 * @throws SignatureError when it is not proven; TypeError when a secret is empty
 */
export declare function verify(input: Request | IncomingLike | Uint8Array | string, secret: string | readonly string[], options?: {
    headers?: HeadersLike;
    tolerance?: number;
}): Promise<WebhookEvent>;
/** Signs a body as the service does. For tests. @param time seconds since 1970 */
export declare function sign(body: string, secret: string, time?: number): Promise<string>;
/** Returns the secrets. @throws TypeError when there is none, or one is empty, because everybody could sign with it */
export declare function secretsIn(secret: string | readonly string[]): readonly string[];
type Signature = {
    time: string;
    code: Uint8Array<ArrayBuffer>;
};
/**
 * Reads every signature, whatever prefix the brand gives its headers. While a secret is replaced there are two.
 * @throws SignatureError when there is none: its body is not worth reading
 */
export declare function signaturesIn(headers: HeadersLike): Signature[];
/** Reads a body, and no more of it than the service would send. @throws SignatureError when it is longer */
export declare function collect(stream: AsyncIterable<Uint8Array | string>): Promise<Uint8Array>;
