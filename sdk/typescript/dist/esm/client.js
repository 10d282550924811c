import { url as home, version } from './home.js';
import { keyOf, paymentKey } from './keys.js';
import { isSettled } from './outcome.js';
import { checkCall, createSend, sleep } from './send.js';
/** Seconds for which the feed may hold a call, and milliseconds on top before it counts as silent. */
const FEED_WAIT_S = 25;
const FEED_SLACK_MS = 15_000;
const POLL_MS = 500;
const POLL_MAX_MS = 5_000;
const WAIT_MS = 120_000;
/** The time that `wait` leaves for its last read. */
const LAST_READ_MS = 250;
/** A client of an instance. Its key stays inside, and decides the mode. */
export class Bandama {
    /** The mode of the key: `test` moves no money. */
    mode;
    #send;
    /** @throws TypeError when the key or the address cannot be used */
    constructor(options) {
        const { key, timeoutMs = 30_000, retries = 4 } = options;
        const mode = /^[a-z]{2,8}_sk_(test|live)_\w+$/.exec(key ?? '')?.[1];
        if (mode !== 'test' && mode !== 'live')
            throw new TypeError('key must be a secret key, …_sk_test_… or …_sk_live_…, as the console showed it once.');
        if (mode === 'live' && 'document' in globalThis)
            throw new TypeError('A live key must never be in a browser: call from your server.');
        const url = (options.url ?? home).replace(/\/+$/, '');
        if (!/^https?:\/\/[^/?#\s]+(\/[!-~]*)?$/.test(url) || /[?#]/.test(url))
            throw new TypeError('url must be the address of your instance, such as https://pay.example.ci.');
        checkCall({ timeoutMs, retries });
        this.mode = mode;
        this.#send = createSend({ ...options, key, url, timeoutMs, retries, version });
    }
    #get(path, call, query) {
        return this.#send({ method: 'GET', path, call, query });
    }
    #post(path, body, call, more = {}) {
        const { key = call?.idempotencyKey ?? null, ...rest } = more;
        return this.#send({ method: 'POST', path, body, call, key, ...rest });
    }
    /** Reads page after page, each from the last id of the one before. */
    async *#list(path, query = {}, call) {
        for (let from = {};;) {
            const page = await this.#get(path, call, { ...query, ...from });
            yield* page.data;
            if (!page.has_more || page.data.length === 0)
                return;
            from = { starting_after: page.data.at(-1).id };
        }
    }
    /** Sends an act that has no key. After a lost answer it reads before it sends again or gives up: only a state of `done` is a success. */
    #act(path, act, isDone, call) {
        const find = async () => {
            const read = await this.#get(readable(path), call);
            return isDone(read) ? read : null;
        };
        const key = call?.idempotencyKey ?? null;
        return this.#send({ method: 'POST', path: `${path}/${act}`, call, key, find });
    }
    async #wait(path, { timeoutMs = WAIT_MS, signal } = {}) {
        checkCall({ timeoutMs });
        const until = Date.now() + timeoutMs;
        // However often: only the time ends it.
        const call = { retries: Number.POSITIVE_INFINITY, ...(signal && { signal }) };
        let last = null;
        for (let pause = POLL_MS;; pause = Math.min(POLL_MAX_MS, pause * 1.5)) {
            try {
                last = await this.#send({ method: 'GET', path, call, until });
            }
            catch (error) {
                if (last === null || !isPassing(error))
                    throw error;
                return last;
            }
            const left = until - LAST_READ_MS - Date.now();
            if (isSettled(last) || left <= 0)
                return last;
            await sleep(Math.min(pause, left), signal);
        }
    }
    payments = {
        /** Asks a payer for money. A 201 is no money yet: `wait`, or wait for the webhook. With `merchant_reference` a repeated call asks once. */
        create: async (body, call = {}) => this.#post('/v1-payments', body, call, { key: await paymentKey(call, body.merchant_reference) }),
        get: (id, call) => this.#get(at('/v1-payments', id), call),
        list: (query, call) => this.#list('/x/payments', query, call),
        cancel: (id, call) => this.#act(at('/x/payments', id), 'cancel', isCancelled, call),
        /** Passes on the one-time code that the payer typed. Not repeated after a lost answer: read the payment. */
        submitCode: (id, code, call) => this.#post(`${at('/x/payments', id)}/code`, { code }, call),
        /** Reads until the money has moved or will not, or until the time is up: then the payment is as it was last. */
        wait: (id, options) => this.#wait(at('/v1-payments', id), options),
    };
    checkout = {
        /** Makes a page where a payer pays. */
        create: (body, call = {}) => this.#post('/v1-checkout', body, call, { key: call.idempotencyKey ?? crypto.randomUUID() }),
    };
    links = {
        /** Makes an address that a customer, or many, can pay at. */
        create: (body, call = {}) => this.#post('/x/links', body, call, { key: call.idempotencyKey ?? crypto.randomUUID() }),
        get: (id, call) => this.#get(at('/x/links', id), call),
        list: (query, call) => this.#list('/x/links', query, call),
        close: (id, call) => this.#act(at('/x/links', id), 'close', ({ status }) => status === 'closed', call),
    };
    payouts = {
        /** Sends money out. A `payout_request` in place of a `payout`: a person must approve it first, and nothing has left. */
        create: async (body, call) => this.#post('/v1-payouts', body, call, { key: keyOf(call) }),
        get: (id, call) => this.#get(at('/v1-payouts', id), call),
        list: (query, call) => this.#list('/x/payouts', query, call),
        cancel: (id, call) => this.#act(at('/x/payouts', id), 'cancel', isCancelled, call),
        wait: (id, options) => this.#wait(at('/v1-payouts', id), options),
    };
    batches = {
        /** Prepares up to 500 payouts. Nothing leaves before `execute`. */
        create: async (body, call) => this.#post('/v1-payout-batches', body, call, { key: keyOf(call) }),
        get: (id, call) => this.#get(at('/v1-payout-batches', id), call),
        list: (query, call) => this.#list('/x/batches', query, call),
        execute: (id, call) => this.#act(at('/v1-payout-batches', id), 'execute', ({ status }) => /^(en_cours|termine)/.test(status), call),
        cancel: (id, call) => this.#act(at('/v1-payout-batches', id), 'cancel', ({ status }) => status === 'annule', call),
        /** Begins to compare the names of its lines with those of the numbers' holders. */
        check: (id, call) => this.#post(`${at('/x/payout-batches', id)}/check`, undefined, call),
        getCheck: (id, call) => this.#get(`${at('/x/payout-batches', id)}/check`, call),
    };
    settlements = {
        /** Asks for the available balance. A 202 is no money yet. */
        create: async (body, call) => this.#post('/v1-settlements', body, call, { key: keyOf(call) }),
        get: (id, call) => this.#get(at('/v1-settlements', id), call),
        list: (query, call) => this.#list('/x/settlements', query, call),
    };
    beneficiaries = {
        /** Adds a destination. The same number again gives the same entry, so it is repeated without a key. */
        create: (body, call) => this.#post('/v1-beneficiaries', body, call, { repeatable: true }),
        get: (id, call) => this.#get(at('/v1-beneficiaries', id), call),
        list: (query, call) => this.#list('/v1-beneficiaries', query, call),
    };
    statements = {
        get: (query, call) => this.#get('/v1-statements', call, query),
        /** Every movement of a period, in order. */
        movements: (query, call) => this.#movements(query, call),
    };
    async *#movements(query, call) {
        for (let offset = 0;;) {
            const page = await this.#get('/v1-statements', call, { ...query, limit: 500, offset });
            yield* page.data;
            offset += page.data.length;
            if (!page.has_more || page.data.length === 0)
                return;
        }
    }
    operators = {
        list: (call) => this.#get('/x/operators', call),
        /** Proposes the operator of a number. */
        predict: (msisdn, call) => this.#post('/x/operators/predict', { msisdn }, call, { repeatable: true }),
    };
    recipients = {
        /** Asks whether a name is that of a number's holder. Not repeated after a lost answer, because checks are counted. */
        check: (body, call) => this.#post('/x/recipients/check', body, call),
    };
    events = {
        get: (id, call) => this.#get(at('/x/events', id), call),
        list: (query, call) => this.#list('/x/events', query, call),
        /** Has an event sent again to your endpoints. Not repeated after a lost answer. */
        replay: (id, call) => this.#post(`${at('/x/events', id)}/replay`, undefined, call),
        /**
         * Gives every event once, in order, for ever, over silence, restarts and restores. Keep `cursor` when you have handled its event, and go on
         * from it after a crash. Ends when your signal does. @throws BandamaError when the service refuses
         */
        follow: (options) => this.#follow(options),
    };
    async *#follow({ after, types, signal }) {
        const type = types?.length === 1 ? types[0] : undefined;
        const call = { timeoutMs: FEED_WAIT_S * 1_000 + FEED_SLACK_MS, retries: Number.POSITIVE_INFINITY };
        for (let place = after; signal?.aborted !== true;) {
            // No wait for `now`: a long call that breaks would make it a later moment, and lose what came between.
            const wait = place === 'now' ? 0 : FEED_WAIT_S;
            const query = { after: place, wait, limit: 100, type };
            const began = Date.now();
            const page = await this.#get('/x/events', { ...call, ...(signal && { signal }) }, query).catch((error) => {
                if (error.kind === 'aborted')
                    return null;
                throw error;
            });
            if (page === null)
                return;
            for (const { cursor, ...event } of page.data)
                if (types === undefined || types.includes(event.type))
                    yield { event: event, cursor };
            // A service that ends waits at once, because too many wait, is not asked at once again.
            const isHasty = wait > 0 && page.data.length === 0 && !page.has_more && Date.now() - began < POLL_MS;
            if (isHasty)
                await sleep(POLL_MS, signal);
            place = page.next;
        }
    }
    /** Reads the balances of the merchant in this mode, in francs. */
    balances(call) {
        return this.#get('/x/balances', call);
    }
}
const isCancelled = ({ status, failure_code }) => status === 'failed' && failure_code === 'cancelled';
/** Whether a failure that a repetition could have ended was the last because the time was up. */
const isPassing = ({ kind, status }) => kind !== 'aborted' && (status === null || status < 300 || status === 429 || status > 499);
const at = (path, id) => `${path}/${encodeURIComponent(id)}`;
/** The address at which a resource of `/x/` is read. */
const readable = (path) => path.replace(/^\/x\/(?=payments|payouts)/, '/v1-');
