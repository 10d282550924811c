/**
 * Why a call has no result:
 * - `refused`: the service said no; nothing happened. `code` says why.
 * - `rate_limited`: too many calls, or too many attempts of one payer; nothing happened.
 * - `in_progress`: the same request is still under way.
 * - `unavailable`: the service failed, in each attempt.
 * - `no_answer`: no answer came, or it broke off.
 * - `unreadable`: something else answered in the service's place, such as a firewall.
 * - `aborted`: your signal ended the call.
 */
export type ErrorKind = 'refused' | 'rate_limited' | 'in_progress' | 'unavailable' | 'no_answer' | 'unreadable' | 'aborted';
type Facts = {
    kind: ErrorKind;
    code: string;
    message: string;
    status: number | null;
    requestId: string | null;
    idempotencyKey: string | null;
    attempts: number;
    retryAfter: number | null;
    mayHaveHappened: boolean;
    docUrl: string;
    raw: unknown;
    cause?: unknown;
};
/** A call without a result. `mayHaveHappened` says whether to look before you do it anew. */
export declare class BandamaError extends Error {
    name: string;
    readonly kind: ErrorKind;
    /** The service's own code, such as `invalid_amount`, or the kind when no code came. */
    readonly code: string;
    /** The HTTP status of the last answer. Null: none came. */
    readonly status: number | null;
    /** Names the last attempt in the request log. */
    readonly requestId: string | null;
    /** The key of the call: send it again with the same body to get the same operation. */
    readonly idempotencyKey: string | null;
    /** How often the request was sent. */
    readonly attempts: number;
    /** Seconds to wait, when the service said so. */
    readonly retryAfter: number | null;
    /** True: no answer proves that the service did nothing. Call again with the same key, or read the resource, before you do it anew. */
    readonly mayHaveHappened: boolean;
    /** The page about `code`. */
    readonly docUrl: string;
    /** The answer: its JSON, or the beginning of its text. */
    readonly raw: unknown;
    constructor(facts: Facts);
}
export {};
