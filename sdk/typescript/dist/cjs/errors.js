"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.BandamaError = void 0;
/** A call without a result. `mayHaveHappened` says whether to look before you do it anew. */
class BandamaError extends Error {
    name = 'BandamaError';
    kind;
    /** The service's own code, such as `invalid_amount`, or the kind when no code came. */
    code;
    /** The HTTP status of the last answer. Null: none came. */
    status;
    /** Names the last attempt in the request log. */
    requestId;
    /** The key of the call: send it again with the same body to get the same operation. */
    idempotencyKey;
    /** How often the request was sent. */
    attempts;
    /** Seconds to wait, when the service said so. */
    retryAfter;
    /** True: no answer proves that the service did nothing. Call again with the same key, or read the resource, before you do it anew. */
    mayHaveHappened;
    /** The page about `code`. */
    docUrl;
    /** The answer: its JSON, or the beginning of its text. */
    raw;
    constructor(facts) {
        super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
        this.kind = facts.kind;
        this.code = facts.code;
        this.status = facts.status;
        this.requestId = facts.requestId;
        this.idempotencyKey = facts.idempotencyKey;
        this.attempts = facts.attempts;
        this.retryAfter = facts.retryAfter;
        this.mayHaveHappened = facts.mayHaveHappened;
        this.docUrl = facts.docUrl;
        this.raw = facts.raw;
    }
}
exports.BandamaError = BandamaError;
