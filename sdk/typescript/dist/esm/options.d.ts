/** One attempt of a call, for your log. It has neither the key nor the body. */
export type Attempt = {
    method: string;
    path: string;
    /** From 1. */
    attempt: number;
    /** Null: no answer. */
    status: number | null;
    /** Null: it succeeded. */
    code: string | null;
    requestId: string | null;
    /** How long it took. */
    milliseconds: number;
    /** The wait before the next attempt, or before the read that makes one needless. Null: this was the last. */
    retryInMilliseconds: number | null;
};
/** The settings of a client. */
export type Options = {
    /** A secret key, such as `bdm_sk_test_…`. It decides the mode. */
    key: string;
    /** The address of the instance. Absent: the one that this package came from. */
    url?: string;
    /** How long one attempt may take, 30 000 when absent. `Infinity`: as long as it takes. */
    timeoutMs?: number;
    /** Attempts after the first, where a repetition is safe. 4 when absent. */
    retries?: number;
    /** Another `fetch`, for a proxy or a test. */
    fetch?: typeof fetch;
    /** Gets each attempt. An error that it throws goes to the console, and changes nothing about the call. */
    onAttempt?: (attempt: Attempt) => unknown;
};
/** The settings of one call. */
export type Call = {
    /** Your name for this operation, 8 to 255 printable characters. A repeated call with the same key and body does nothing twice. */
    idempotencyKey?: string;
    signal?: AbortSignal;
    timeoutMs?: number;
    retries?: number;
};
/** The settings of a call that moves money out: it needs a key that you stored before, with your order. */
export type Keyed = Call & {
    idempotencyKey: string;
};
/** About the answer of a call. */
export type Meta = {
    readonly requestId: string | null;
    readonly idempotencyKey: string | null;
    readonly attempts: number;
    readonly status: number;
};
/** A result, with `meta` about its answer. `meta` is not enumerable: it is in no JSON and no copy. */
export type R<T> = Promise<T & {
    readonly meta: Meta;
}>;
/** A list that reads page after page while you iterate. */
export type Items<T> = AsyncGenerator<T, void, undefined>;
