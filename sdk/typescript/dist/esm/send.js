import { BandamaError } from './errors.js';
const BACKOFF_MS = 250;
/** The longest time that a timer of JavaScript holds, 24 days. It takes a longer one for 1 ms. */
const TIMER_MAX_MS = 2 ** 31 - 1;
const BACKOFF_MAX_MS = 8_000;
/** The longest wait that an answer may ask for in a call without a time of its own. A longer one is told to the caller. */
const RETRY_AFTER_MAX_S = 120;
/** Waits, or until the signal: the next call then says that it ended. */
export function sleep(milliseconds, signal) {
    return new Promise((resolve) => {
        const end = () => {
            clearTimeout(timer);
            signal?.removeEventListener('abort', end);
            resolve();
        };
        const timer = setTimeout(end, Math.min(milliseconds, TIMER_MAX_MS));
        signal?.addEventListener('abort', end);
        if (signal?.aborted)
            end();
    });
}
/** @throws TypeError when a time or a number of attempts is none */
export function checkCall({ timeoutMs = 1, retries = 0 }) {
    if (!(timeoutMs > 0))
        throw new TypeError('timeoutMs must be a number of milliseconds above 0.');
    if (!(retries >= 0))
        throw new TypeError('retries must be 0 or more.');
}
/** Makes the sender of a client. The settings, with the key, stay inside. */
export function createSend(settings) {
    return async (wanted) => {
        const { method, path, call = {}, key = null, find } = wanted;
        const repeatable = wanted.repeatable ?? (method === 'GET' || key !== null || find !== undefined);
        checkCall(call);
        const retries = call.retries ?? settings.retries;
        const request = requestOf(settings, wanted);
        const state = { attempt: 0, isOpen: false };
        for (;;) {
            const began = Date.now();
            const ended = await tryOnce(settings, wanted, request, state);
            const { attempt } = state;
            const error = 'error' in ended ? ended.error : null;
            const wait = 'error' in ended && attempt <= retries && mayRepeat(ended, repeatable) ? waitOf(ended.error, wanted) : null;
            void tell(settings, {
                ...{ method, path, attempt, milliseconds: Date.now() - began, retryInMilliseconds: wait },
                ...(error === null
                    ? { code: null, ...pick(ended.json.meta) }
                    : { code: error.code, ...pick(error) }),
            });
            if (error === null)
                return ended.json;
            state.isOpen ||= error.mayHaveHappened;
            if (wait !== null)
                await sleep(wait, call.signal);
            // The answer that was lost may have said yes, whatever a later one says.
            const found = state.isOpen ? await find?.().catch(() => null) : null;
            if (found)
                return found;
            if (wait === null)
                throw error;
        }
    };
}
/** Tells a program about an attempt. Its own fault changes nothing about the call, which may have moved money. */
async function tell({ onAttempt }, attempt) {
    try {
        await onAttempt?.(attempt);
    }
    catch (error) {
        // biome-ignore lint/suspicious/noConsole: an error that nobody sees would cost an evening.
        console.error(error);
    }
}
const pick = ({ status, requestId }) => ({ status, requestId });
/** A refused attempt did nothing, so it may be repeated without a key; one whose outcome is open may not. */
function mayRepeat({ error, again }, repeatable) {
    return again && (repeatable || !error.mayHaveHappened);
}
/** Milliseconds until the next attempt, never 0. Null: the service asks for more time than a call may take, or than is left. */
function waitOf({ retryAfter, attempts }, { until }) {
    const backoff = Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** (attempts - 1)) * (0.5 + Math.random() / 2);
    const wait = Math.max((retryAfter ?? 0) * 1_000, backoff);
    const isTooLong = until === undefined ? wait > RETRY_AFTER_MAX_S * 1_000 : Date.now() + wait >= until;
    return isTooLong ? null : wait;
}
/** The address and the bytes, the same in each attempt. */
function requestOf({ url, key: secret, version }, { method, path, query, body, key }) {
    // Another key would fail in each attempt, and look as if no answer came.
    if (key != null && !/^[ -~]{8,255}$/.test(key))
        throw new TypeError('idempotencyKey must be 8 to 255 letters, digits and signs of ASCII: leave accents out.');
    const fields = Object.entries(query ?? {}).filter(([, value]) => value != null);
    const search = new URLSearchParams(fields.map(([name, value]) => [name, String(value)])).toString();
    const headers = {
        authorization: `Bearer ${secret}`,
        accept: 'application/json',
        'user-agent': `bandama-js/${version}`,
    };
    if (body !== undefined)
        headers['content-type'] = 'application/json';
    if (key != null)
        headers['idempotency-key'] = key;
    return {
        address: `${url}${path}${search && `?${search}`}`,
        // Not followed: a redirect would send the key to another address, and a POST as a GET.
        init: { method, headers, redirect: 'manual', ...(body !== undefined && { body: JSON.stringify(body) }) },
    };
}
async function tryOnce(settings, wanted, { address, init }, state) {
    const { signal, timeoutMs: ofCall = settings.timeoutMs } = wanted.call ?? {};
    const left = wanted.until === undefined ? ofCall : Math.max(1, wanted.until - Date.now());
    const timeoutMs = Math.min(ofCall, left, TIMER_MAX_MS);
    if (signal?.aborted)
        throw aborted(settings, wanted, state);
    state.attempt += 1;
    const open = wanted.method !== 'GET';
    const ending = new AbortController();
    const end = () => ending.abort();
    signal?.addEventListener('abort', end, { once: true });
    const timer = setTimeout(end, timeoutMs);
    try {
        const answer = await (settings.fetch ?? fetch)(address, { ...init, signal: ending.signal });
        return readAnswer(settings, wanted, state, answer, await answer.text());
    }
    catch (cause) {
        if (signal?.aborted)
            throw aborted(settings, wanted, { ...state, isOpen: open });
        const { cause: deeper, message } = cause;
        const why = ending.signal.aborted
            ? `nothing came within ${timeoutMs / 1_000} s`
            : (deeper?.code ?? deeper?.message ?? message);
        const next = open ? ', then call again with the same key, or read the resource' : '';
        const error = fail(settings, wanted, state, {
            ...{ kind: 'no_answer', code: 'no_answer', cause, mayHaveHappened: open },
            message: `No answer from ${settings.url}: ${why}. Check the address and the network${next}.`,
        });
        return { error, again: true };
    }
    finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
    }
}
function readAnswer(settings, wanted, state, answer, text) {
    const { status } = answer;
    const requestId = requestIdOf(answer.headers);
    const json = parse(text);
    if (answer.ok && typeof json?.object === 'string') {
        const meta = { requestId, idempotencyKey: wanted.key ?? null, attempts: state.attempt, status };
        return { json: Object.defineProperty(json, 'meta', { value: meta }) };
    }
    const code = json?.error?.code;
    const open = wanted.method !== 'GET';
    if (status < 400 || typeof code !== 'string') {
        const moved = status > 299 && status < 400;
        const location = answer.headers.get('location');
        const what = moved ? `a redirect${location === null ? '' : ` to ${location}`}` : 'something that is not its JSON';
        const error = fail(settings, wanted, state, {
            ...{ kind: 'unreadable', code: 'unreadable', status, requestId, raw: text.slice(0, 500) },
            message: `${settings.url} answered ${status} with ${what}: ${moved ? 'set url to the final address' : 'check url, and any proxy or firewall in front of it'}.`,
            mayHaveHappened: open && (answer.ok || status > 499),
        });
        return { error, again: answer.ok || status > 499 };
    }
    const kind = kindOf(status, code);
    const error = fail(settings, wanted, state, {
        ...{ kind, code, status, requestId, raw: json, message: String(json.error.message) },
        retryAfter: secondsIn(answer.headers.get('retry-after')),
        mayHaveHappened: open && (kind === 'unavailable' || kind === 'in_progress'),
    });
    return { error, again: kind !== 'refused' && code !== 'too_many_attempts' };
}
function kindOf(status, code) {
    if (status === 429)
        return 'rate_limited';
    if (code === 'idempotency_in_progress')
        return 'in_progress';
    return status > 499 ? 'unavailable' : 'refused';
}
// biome-ignore lint/suspicious/noExplicitAny: whatever answered, read as JSON and looked at field by field.
function parse(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return null;
    }
}
/** The id of the request, whatever prefix the brand gives its headers. Proxies name theirs `X-Request-Id`. */
function requestIdOf(headers) {
    let found = null;
    headers.forEach((value, name) => {
        if (/^(?!x-).*-request-id$/i.test(name))
            found ??= value;
    });
    return found;
}
/** Reads `Retry-After`: seconds, or a moment. */
function secondsIn(text) {
    if (text === null)
        return null;
    const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1_000);
    return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
function aborted(settings, wanted, state) {
    return fail(settings, wanted, state, {
        ...{ kind: 'aborted', code: 'aborted', cause: wanted.call?.signal?.reason, message: 'Your signal ended the call.' },
        mayHaveHappened: false,
    });
}
/** Makes the error of a call. An earlier attempt without an answer may still do its work, whatever a later one was told. */
function fail({ url }, { key }, { attempt, isOpen }, failure) {
    return new BandamaError({
        ...{ status: null, requestId: null, retryAfter: null, raw: null, idempotencyKey: key ?? null, attempts: attempt },
        docUrl: `${url}/docs/errors/${failure.code}`,
        ...failure,
        mayHaveHappened: failure.mayHaveHappened || isOpen,
    });
}
