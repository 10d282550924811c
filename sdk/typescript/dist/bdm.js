#!/usr/bin/env node

// bdm/main.ts
import { parseArgs } from "node:util";

// src/home.ts
var url = "";
var version = "0.1.0";

// src/keys.ts
var KEY_MIN = 8;
var DERIVED_MAX = 250;
function keyOf(call) {
  const key = call?.idempotencyKey;
  if (typeof key === "string" && key.length >= KEY_MIN) return key;
  throw new TypeError(
    "idempotencyKey is required here: at least 8 characters that you stored with your order before this call, so that a program that crashed can call again without paying twice."
  );
}
async function paymentKey({ idempotencyKey }, reference) {
  if (idempotencyKey !== void 0 || !reference) return idempotencyKey ?? crypto.randomUUID();
  const bytes = new TextEncoder().encode(reference);
  const key = `ref:${base64url(bytes)}`;
  return key.length <= DERIVED_MAX ? key : `ref:${base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)))}`;
}
function base64url(bytes) {
  const text2 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text2.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// src/outcome.ts
var outcomes = {
  payment: {
    created: "waiting",
    pending: "waiting",
    succeeded: "paid",
    partially_refunded: "paid",
    failed: "not_paid",
    refunded: "returned"
  },
  payout: { created: "waiting", processing: "waiting", succeeded: "paid", failed: "not_paid" },
  payout_request: {
    pending_approval: "waiting_for_approval",
    approved: "waiting",
    rejected: "not_paid",
    expired: "not_paid"
  },
  payout_batch: {
    brouillon: "waiting",
    en_attente_validation: "waiting_for_approval",
    en_cours: "waiting",
    termine: "paid",
    annule: "not_paid"
  },
  settlement: { pending_validation: "waiting_for_approval", validated: "waiting", paid: "paid", rejected: "not_paid" },
  checkout_session: { open: "waiting", paid: "paid" }
};
function outcomeOf(resource) {
  const states = Object.hasOwn(outcomes, resource?.object ?? "") ? outcomes[resource.object] : {};
  return Object.hasOwn(states, resource?.status ?? "") ? states[resource.status] : "unknown";
}
function isSettled(resource) {
  const outcome = outcomeOf(resource);
  return outcome !== "waiting" && outcome !== "unknown";
}

// src/errors.ts
var BandamaError = class extends Error {
  name = "BandamaError";
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
    super(facts.message, facts.cause === void 0 ? void 0 : { cause: facts.cause });
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
};

// src/send.ts
var BACKOFF_MS = 250;
var TIMER_MAX_MS = 2 ** 31 - 1;
var BACKOFF_MAX_MS = 8e3;
var RETRY_AFTER_MAX_S = 120;
function sleep(milliseconds, signal) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(milliseconds, TIMER_MAX_MS));
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
}
function checkCall({ timeoutMs = 1, retries = 0 }) {
  if (!(timeoutMs > 0)) throw new TypeError("timeoutMs must be a number of milliseconds above 0.");
  if (!(retries >= 0)) throw new TypeError("retries must be 0 or more.");
}
function createSend(settings) {
  return async (wanted) => {
    const { method, path, call = {}, key = null, find } = wanted;
    const repeatable = wanted.repeatable ?? (method === "GET" || key !== null || find !== void 0);
    checkCall(call);
    const retries = call.retries ?? settings.retries;
    const request = requestOf(settings, wanted);
    const state = { attempt: 0, isOpen: false };
    for (; ; ) {
      const began = Date.now();
      const ended = await tryOnce(settings, wanted, request, state);
      const { attempt } = state;
      const error = "error" in ended ? ended.error : null;
      const wait = "error" in ended && attempt <= retries && mayRepeat(ended, repeatable) ? waitOf(ended.error, wanted) : null;
      void tell(settings, {
        ...{ method, path, attempt, milliseconds: Date.now() - began, retryInMilliseconds: wait },
        ...error === null ? { code: null, ...pick(ended.json.meta) } : { code: error.code, ...pick(error) }
      });
      if (error === null) return ended.json;
      state.isOpen ||= error.mayHaveHappened;
      if (wait !== null) await sleep(wait, call.signal);
      const found = state.isOpen ? await find?.().catch(() => null) : null;
      if (found) return found;
      if (wait === null) throw error;
    }
  };
}
async function tell({ onAttempt }, attempt) {
  try {
    await onAttempt?.(attempt);
  } catch (error) {
    console.error(error);
  }
}
var pick = ({ status, requestId }) => ({ status, requestId });
function mayRepeat({ error, again }, repeatable) {
  return again && (repeatable || !error.mayHaveHappened);
}
function waitOf({ retryAfter, attempts }, { until }) {
  const backoff = Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** (attempts - 1)) * (0.5 + Math.random() / 2);
  const wait = Math.max((retryAfter ?? 0) * 1e3, backoff);
  const isTooLong = until === void 0 ? wait > RETRY_AFTER_MAX_S * 1e3 : Date.now() + wait >= until;
  return isTooLong ? null : wait;
}
function requestOf({ url: url2, key: secret, version: version2 }, { method, path, query, body, key }) {
  if (key != null && !/^[ -~]{8,255}$/.test(key))
    throw new TypeError("idempotencyKey must be 8 to 255 letters, digits and signs of ASCII: leave accents out.");
  const fields = Object.entries(query ?? {}).filter(([, value]) => value != null);
  const search = new URLSearchParams(fields.map(([name, value]) => [name, String(value)])).toString();
  const headers = {
    authorization: `Bearer ${secret}`,
    accept: "application/json",
    "user-agent": `bandama-js/${version2}`
  };
  if (body !== void 0) headers["content-type"] = "application/json";
  if (key != null) headers["idempotency-key"] = key;
  return {
    address: `${url2}${path}${search && `?${search}`}`,
    // Not followed: a redirect would send the key to another address, and a POST as a GET.
    init: { method, headers, redirect: "manual", ...body !== void 0 && { body: JSON.stringify(body) } }
  };
}
async function tryOnce(settings, wanted, { address, init }, state) {
  const { signal, timeoutMs: ofCall = settings.timeoutMs } = wanted.call ?? {};
  const left = wanted.until === void 0 ? ofCall : Math.max(1, wanted.until - Date.now());
  const timeoutMs = Math.min(ofCall, left, TIMER_MAX_MS);
  if (signal?.aborted) throw aborted(settings, wanted, state);
  state.attempt += 1;
  const open2 = wanted.method !== "GET";
  const ending = new AbortController();
  const end = () => ending.abort();
  signal?.addEventListener("abort", end, { once: true });
  const timer = setTimeout(end, timeoutMs);
  try {
    const answer = await (settings.fetch ?? fetch)(address, { ...init, signal: ending.signal });
    return readAnswer(settings, wanted, state, answer, await answer.text());
  } catch (cause) {
    if (signal?.aborted) throw aborted(settings, wanted, { ...state, isOpen: open2 });
    const { cause: deeper, message } = cause;
    const why = ending.signal.aborted ? `nothing came within ${timeoutMs / 1e3} s` : deeper?.code ?? deeper?.message ?? message;
    const next = open2 ? ", then call again with the same key, or read the resource" : "";
    const error = fail(settings, wanted, state, {
      ...{ kind: "no_answer", code: "no_answer", cause, mayHaveHappened: open2 },
      message: `No answer from ${settings.url}: ${why}. Check the address and the network${next}.`
    });
    return { error, again: true };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
  }
}
function readAnswer(settings, wanted, state, answer, text2) {
  const { status } = answer;
  const requestId = requestIdOf(answer.headers);
  const json = parse(text2);
  if (answer.ok && typeof json?.object === "string") {
    const meta = { requestId, idempotencyKey: wanted.key ?? null, attempts: state.attempt, status };
    return { json: Object.defineProperty(json, "meta", { value: meta }) };
  }
  const code = json?.error?.code;
  const open2 = wanted.method !== "GET";
  if (status < 400 || typeof code !== "string") {
    const moved = status > 299 && status < 400;
    const location = answer.headers.get("location");
    const what = moved ? `a redirect${location === null ? "" : ` to ${location}`}` : "something that is not its JSON";
    const error2 = fail(settings, wanted, state, {
      ...{ kind: "unreadable", code: "unreadable", status, requestId, raw: text2.slice(0, 500) },
      message: `${settings.url} answered ${status} with ${what}: ${moved ? "set url to the final address" : "check url, and any proxy or firewall in front of it"}.`,
      mayHaveHappened: open2 && (answer.ok || status > 499)
    });
    return { error: error2, again: answer.ok || status > 499 };
  }
  const kind = kindOf(status, code);
  const error = fail(settings, wanted, state, {
    ...{ kind, code, status, requestId, raw: json, message: String(json.error.message) },
    retryAfter: secondsIn(answer.headers.get("retry-after")),
    mayHaveHappened: open2 && (kind === "unavailable" || kind === "in_progress")
  });
  return { error, again: kind !== "refused" && code !== "too_many_attempts" };
}
function kindOf(status, code) {
  if (status === 429) return "rate_limited";
  if (code === "idempotency_in_progress") return "in_progress";
  return status > 499 ? "unavailable" : "refused";
}
function parse(text2) {
  try {
    return JSON.parse(text2);
  } catch {
    return null;
  }
}
function requestIdOf(headers) {
  let found = null;
  headers.forEach((value, name) => {
    if (/^(?!x-).*-request-id$/i.test(name)) found ??= value;
  });
  return found;
}
function secondsIn(text2) {
  if (text2 === null) return null;
  const seconds = /^\d+$/.test(text2) ? Number(text2) : Math.ceil((Date.parse(text2) - Date.now()) / 1e3);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
function aborted(settings, wanted, state) {
  return fail(settings, wanted, state, {
    ...{ kind: "aborted", code: "aborted", cause: wanted.call?.signal?.reason, message: "Your signal ended the call." },
    mayHaveHappened: false
  });
}
function fail({ url: url2 }, { key }, { attempt, isOpen }, failure) {
  return new BandamaError({
    ...{ status: null, requestId: null, retryAfter: null, raw: null, idempotencyKey: key ?? null, attempts: attempt },
    docUrl: `${url2}/docs/errors/${failure.code}`,
    ...failure,
    mayHaveHappened: failure.mayHaveHappened || isOpen
  });
}

// src/client.ts
var FEED_WAIT_S = 25;
var FEED_SLACK_MS = 15e3;
var POLL_MS = 500;
var POLL_MAX_MS = 5e3;
var WAIT_MS = 12e4;
var LAST_READ_MS = 250;
var Bandama = class {
  /** The mode of the key: `test` moves no money. */
  mode;
  #send;
  /** @throws TypeError when the key or the address cannot be used */
  constructor(options2) {
    const { key, timeoutMs = 3e4, retries = 4 } = options2;
    const mode = /^[a-z]{2,8}_sk_(test|live)_\w+$/.exec(key ?? "")?.[1];
    if (mode !== "test" && mode !== "live")
      throw new TypeError("key must be a secret key, …_sk_test_… or …_sk_live_…, as the console showed it once.");
    if (mode === "live" && "document" in globalThis)
      throw new TypeError("A live key must never be in a browser: call from your server.");
    const url2 = (options2.url ?? url).replace(/\/+$/, "");
    if (!/^https?:\/\/[^/?#\s]+(\/[!-~]*)?$/.test(url2) || /[?#]/.test(url2))
      throw new TypeError("url must be the address of your instance, such as https://pay.example.ci.");
    checkCall({ timeoutMs, retries });
    this.mode = mode;
    this.#send = createSend({ ...options2, key, url: url2, timeoutMs, retries, version });
  }
  #get(path, call, query) {
    return this.#send({ method: "GET", path, call, query });
  }
  #post(path, body, call, more = {}) {
    const { key = call?.idempotencyKey ?? null, ...rest } = more;
    return this.#send({ method: "POST", path, body, call, key, ...rest });
  }
  /** Reads page after page, each from the last id of the one before. */
  async *#list(path, query = {}, call) {
    for (let from = {}; ; ) {
      const page = await this.#get(path, call, { ...query, ...from });
      yield* page.data;
      if (!page.has_more || page.data.length === 0) return;
      from = { starting_after: page.data.at(-1).id };
    }
  }
  /** Sends an act that has no key. After a lost answer it reads before it sends again or gives up: only a state of `done` is a success. */
  #act(path, act, isDone, call) {
    const find = async () => {
      const read2 = await this.#get(readable(path), call);
      return isDone(read2) ? read2 : null;
    };
    const key = call?.idempotencyKey ?? null;
    return this.#send({ method: "POST", path: `${path}/${act}`, call, key, find });
  }
  async #wait(path, { timeoutMs = WAIT_MS, signal } = {}) {
    checkCall({ timeoutMs });
    const until = Date.now() + timeoutMs;
    const call = { retries: Number.POSITIVE_INFINITY, ...signal && { signal } };
    let last = null;
    for (let pause = POLL_MS; ; pause = Math.min(POLL_MAX_MS, pause * 1.5)) {
      try {
        last = await this.#send({ method: "GET", path, call, until });
      } catch (error) {
        if (last === null || !isPassing(error)) throw error;
        return last;
      }
      const left = until - LAST_READ_MS - Date.now();
      if (isSettled(last) || left <= 0) return last;
      await sleep(Math.min(pause, left), signal);
    }
  }
  payments = {
    /** Asks a payer for money. A 201 is no money yet: `wait`, or wait for the webhook. With `merchant_reference` a repeated call asks once. */
    create: async (body, call = {}) => this.#post("/v1-payments", body, call, { key: await paymentKey(call, body.merchant_reference) }),
    get: (id, call) => this.#get(at("/v1-payments", id), call),
    list: (query, call) => this.#list("/x/payments", query, call),
    cancel: (id, call) => this.#act(at("/x/payments", id), "cancel", isCancelled, call),
    /** Passes on the one-time code that the payer typed. Not repeated after a lost answer: read the payment. */
    submitCode: (id, code, call) => this.#post(`${at("/x/payments", id)}/code`, { code }, call),
    /** Reads until the money has moved or will not, or until the time is up: then the payment is as it was last. */
    wait: (id, options2) => this.#wait(at("/v1-payments", id), options2)
  };
  checkout = {
    /** Makes a page where a payer pays. */
    create: (body, call = {}) => this.#post("/v1-checkout", body, call, { key: call.idempotencyKey ?? crypto.randomUUID() })
  };
  links = {
    /** Makes an address that a customer, or many, can pay at. */
    create: (body, call = {}) => this.#post("/x/links", body, call, { key: call.idempotencyKey ?? crypto.randomUUID() }),
    get: (id, call) => this.#get(at("/x/links", id), call),
    list: (query, call) => this.#list("/x/links", query, call),
    close: (id, call) => this.#act(at("/x/links", id), "close", ({ status }) => status === "closed", call)
  };
  payouts = {
    /** Sends money out. A `payout_request` in place of a `payout`: a person must approve it first, and nothing has left. */
    create: async (body, call) => this.#post("/v1-payouts", body, call, { key: keyOf(call) }),
    get: (id, call) => this.#get(at("/v1-payouts", id), call),
    list: (query, call) => this.#list("/x/payouts", query, call),
    cancel: (id, call) => this.#act(at("/x/payouts", id), "cancel", isCancelled, call),
    wait: (id, options2) => this.#wait(at("/v1-payouts", id), options2)
  };
  batches = {
    /** Prepares up to 500 payouts. Nothing leaves before `execute`. */
    create: async (body, call) => this.#post("/v1-payout-batches", body, call, { key: keyOf(call) }),
    get: (id, call) => this.#get(at("/v1-payout-batches", id), call),
    list: (query, call) => this.#list("/x/batches", query, call),
    execute: (id, call) => this.#act(at("/v1-payout-batches", id), "execute", ({ status }) => /^(en_cours|termine)/.test(status), call),
    cancel: (id, call) => this.#act(at("/v1-payout-batches", id), "cancel", ({ status }) => status === "annule", call),
    /** Begins to compare the names of its lines with those of the numbers' holders. */
    check: (id, call) => this.#post(`${at("/x/payout-batches", id)}/check`, void 0, call),
    getCheck: (id, call) => this.#get(`${at("/x/payout-batches", id)}/check`, call)
  };
  settlements = {
    /** Asks for the available balance. A 202 is no money yet. */
    create: async (body, call) => this.#post("/v1-settlements", body, call, { key: keyOf(call) }),
    get: (id, call) => this.#get(at("/v1-settlements", id), call),
    list: (query, call) => this.#list("/x/settlements", query, call)
  };
  beneficiaries = {
    /** Adds a destination. The same number again gives the same entry, so it is repeated without a key. */
    create: (body, call) => this.#post("/v1-beneficiaries", body, call, { repeatable: true }),
    get: (id, call) => this.#get(at("/v1-beneficiaries", id), call),
    list: (query, call) => this.#list("/v1-beneficiaries", query, call)
  };
  statements = {
    get: (query, call) => this.#get("/v1-statements", call, query),
    /** Every movement of a period, in order. */
    movements: (query, call) => this.#movements(query, call)
  };
  async *#movements(query, call) {
    for (let offset = 0; ; ) {
      const page = await this.#get("/v1-statements", call, { ...query, limit: 500, offset });
      yield* page.data;
      offset += page.data.length;
      if (!page.has_more || page.data.length === 0) return;
    }
  }
  operators = {
    list: (call) => this.#get("/x/operators", call),
    /** Proposes the operator of a number. */
    predict: (msisdn, call) => this.#post("/x/operators/predict", { msisdn }, call, { repeatable: true })
  };
  recipients = {
    /** Asks whether a name is that of a number's holder. Not repeated after a lost answer, because checks are counted. */
    check: (body, call) => this.#post("/x/recipients/check", body, call)
  };
  events = {
    get: (id, call) => this.#get(at("/x/events", id), call),
    list: (query, call) => this.#list("/x/events", query, call),
    /** Has an event sent again to your endpoints. Not repeated after a lost answer. */
    replay: (id, call) => this.#post(`${at("/x/events", id)}/replay`, void 0, call),
    /**
     * Gives every event once, in order, for ever, over silence, restarts and restores. Keep `cursor` when you have handled its event, and go on
     * from it after a crash. Ends when your signal does. @throws BandamaError when the service refuses
     */
    follow: (options2) => this.#follow(options2)
  };
  async *#follow({ after, types, signal }) {
    const type = types?.length === 1 ? types[0] : void 0;
    const call = { timeoutMs: FEED_WAIT_S * 1e3 + FEED_SLACK_MS, retries: Number.POSITIVE_INFINITY };
    for (let place = after; signal?.aborted !== true; ) {
      const wait = place === "now" ? 0 : FEED_WAIT_S;
      const query = { after: place, wait, limit: 100, type };
      const began = Date.now();
      const page = await this.#get("/x/events", { ...call, ...signal && { signal } }, query).catch(
        (error) => {
          if (error.kind === "aborted") return null;
          throw error;
        }
      );
      if (page === null) return;
      for (const { cursor, ...event } of page.data)
        if (types === void 0 || types.includes(event.type)) yield { event, cursor };
      const isHasty = wait > 0 && page.data.length === 0 && !page.has_more && Date.now() - began < POLL_MS;
      if (isHasty) await sleep(POLL_MS, signal);
      place = page.next;
    }
  }
  /** Reads the balances of the merchant in this mode, in francs. */
  balances(call) {
    return this.#get("/x/balances", call);
  }
};
var isCancelled = ({ status, failure_code }) => status === "failed" && failure_code === "cancelled";
var isPassing = ({ kind, status }) => kind !== "aborted" && (status === null || status < 300 || status === 429 || status > 499);
var at = (path, id) => `${path}/${encodeURIComponent(id)}`;
var readable = (path) => path.replace(/^\/x\/(?=payments|payouts)/, "/v1-");

// bdm/connect.ts
var TIMEOUT_MS = 15e3;
var RETRIES = 2;
function connect({ url: url2, key }, more = {}) {
  const seen = { clock_ahead: null, prefix: "service" };
  const settings = { url: url2.replace(/\/+$/, ""), key, timeoutMs: TIMEOUT_MS, retries: RETRIES, ...more };
  const watched = async (input, init) => {
    const answer = await fetch(input, init);
    const date = Date.parse(answer.headers.get("date") ?? "");
    if (!Number.isNaN(date)) seen.clock_ahead = Math.round((Date.now() - date) / 1e3);
    answer.headers.forEach((_, name) => {
      seen.prefix = /^(?!x-)(.+)-request-id$/i.exec(name)?.[1] ?? seen.prefix;
    });
    return answer;
  };
  const client = new Bandama({ ...settings, fetch: watched });
  return { client, send: createSend({ ...settings, fetch: watched, version }), seen, mode: client.mode };
}

// src/webhooks.ts
var TOLERANCE_S = 300;
var BODY_MAX = 1e6;
var SignatureError = class extends Error {
  name = "SignatureError";
  reason;
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }
};
async function verify(input, secret, options2 = {}) {
  const secrets = secretsIn(secret);
  const signatures = signaturesIn(options2.headers ?? input.headers ?? {});
  const body = await bytesOf(input);
  let offset = null;
  for (const { time, code } of signatures) {
    for (const one of secrets) {
      if (!await isRight(one, time, body, code)) continue;
      offset = Math.round(Date.now() / 1e3 - Number(time));
      if (Math.abs(offset) <= (options2.tolerance ?? TOLERANCE_S)) return JSON.parse(new TextDecoder().decode(body));
    }
  }
  if (offset === null)
    throw new SignatureError(
      "wrong_signature",
      "The signature does not match: check that the secret is that of this endpoint and mode, and that the body is the bytes as they came."
    );
  throw new SignatureError(
    "wrong_time",
    `The signature is right, but its time is ${Math.abs(offset)} s ${offset > 0 ? "behind" : "ahead of"} this machine's clock: set the clock, or refuse it as a replay.`
  );
}
async function sign(body, secret, time = Math.floor(Date.now() / 1e3)) {
  const code = await crypto.subtle.sign("HMAC", await keyFor(secret, "sign"), messageOf(String(time), encode(body)));
  return `t=${time},v1=${Array.from(new Uint8Array(code), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
function secretsIn(secret) {
  const secrets = typeof secret === "string" ? [secret] : secret ?? [];
  if (secrets.length > 0 && secrets.every((one) => typeof one === "string" && one !== "")) return secrets;
  throw new TypeError("The signing secret is empty: set the whsec_… that the console showed with your endpoint.");
}
function signaturesIn(headers) {
  const found = [];
  const read2 = (value, name) => {
    if (!/-signature(-previous)?$/i.test(name)) return;
    for (const text2 of [value].flat()) {
      const [, time, hex] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(String(text2)) ?? [];
      if (time !== void 0)
        found.push({ time, code: Uint8Array.from(hex.match(/../g), (two) => Number.parseInt(two, 16)) });
    }
  };
  if (typeof headers.forEach === "function") headers.forEach(read2);
  else for (const [name, value] of Object.entries(headers)) read2(value, name);
  if (found.length > 0) return found;
  throw new SignatureError(
    "no_signature",
    "No header of this request ends in -Signature: it is not from the service, or a proxy dropped the header; pass the headers on."
  );
}
var encode = (text2) => new TextEncoder().encode(text2);
function keyFor(secret, use) {
  return crypto.subtle.importKey("raw", encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [use]);
}
function messageOf(time, body) {
  const begin = encode(`${time}.`);
  const message = new Uint8Array(begin.length + body.length);
  message.set(begin);
  message.set(body, begin.length);
  return message;
}
async function isRight(secret, time, body, code) {
  return crypto.subtle.verify("HMAC", await keyFor(secret, "verify"), code, messageOf(time, body));
}
var PARSED = 'The body was parsed before, and its bytes are gone: verify before any JSON parser; in Express put express.raw({ type: "application/json" }) on this route, in NestJS set rawBody: true, in Next pages bodyParser: false.';
async function bytesOf(input) {
  if (typeof input === "string") return encode(input);
  if (input instanceof Uint8Array) return input;
  const { body, rawBody, bodyUsed, arrayBuffer, readableEnded } = input ?? {};
  if (typeof arrayBuffer === "function") {
    if (bodyUsed === true)
      throw new SignatureError(
        "body_used",
        "The body of this request was read before: verify first, and use the event that verify returns, or pass a clone."
      );
    const stream = body;
    if (typeof stream?.getReader === "function") return collect(partsOf(stream));
    return new Uint8Array(await input.arrayBuffer());
  }
  for (const kept of [rawBody, body]) {
    if (kept instanceof Uint8Array) return kept;
    if (typeof kept === "string") return encode(kept);
  }
  const isRead = body !== void 0 || readableEnded === true;
  if (isRead || typeof input?.[Symbol.asyncIterator] !== "function")
    throw new SignatureError("body_parsed", PARSED);
  return collect(input);
}
async function* partsOf(stream) {
  const reader = stream.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    reader.cancel().catch(() => {
    });
  }
}
async function collect(stream) {
  const parts = [];
  let length = 0;
  for await (const part of stream) {
    const bytes = typeof part === "string" ? encode(part) : part;
    parts.push(bytes);
    length += bytes.length;
    if (length > BODY_MAX)
      throw new SignatureError("wrong_signature", "The body has more than a megabyte: it is not from the service.");
  }
  const whole = new Uint8Array(length);
  let at2 = 0;
  for (const part of parts) {
    whole.set(part, at2);
    at2 += part.length;
  }
  return whole;
}

// bdm/print.ts
import { createInterface } from "node:readline/promises";

// bdm/sentence.ts
var Sentence = class extends Error {
  name = "Sentence";
};
var remedies = {
  invalid_api_key: " Then run bdm login.",
  insufficient_scope: " Keep it under a --profile of its own."
};
function sentenceOf(error) {
  if (error instanceof BandamaError) {
    const { code, status, message, requestId, mayHaveHappened, idempotencyKey } = error;
    const certificate = /CERT|certificate|SELF_SIGNED/i.test(message) ? " The certificate is refused: check the clock of this machine, then NODE_EXTRA_CA_CERTS." : "";
    const again = mayHaveHappened && idempotencyKey !== null ? ` Repeat it with --key ${idempotencyKey}.` : "";
    const told = status === null || code === "unreadable" ? message : `${status} ${code}: ${message}${remedies[code] ?? ""}`;
    return `${told}${certificate}${again}${requestId === null ? "" : ` [request ${requestId}]`}`;
  }
  if (error instanceof Sentence || error instanceof TypeError) return error.message;
  if (String(error?.code).startsWith("ERR_PARSE_ARGS")) return error.message;
  if (error?.name === "SignatureError") return error.message;
  return null;
}

// bdm/print.ts
var say = (line) => void process.stderr.write(`${line}
`);
var put = (line) => void process.stdout.write(`${line}
`);
function putOne(row, { jsonl }) {
  put(JSON.stringify(row, null, jsonl ? 0 : 2));
}
async function putAll(rows, limit, { json, jsonl }) {
  const kept = [];
  let count = 0;
  if (limit > 0)
    for await (const row of rows) {
      if (json) kept.push(row);
      else put(jsonl ? JSON.stringify(row) : lineOf(row));
      count += 1;
      if (count >= limit) break;
    }
  if (json) put(JSON.stringify(kept, null, 2));
  else if (count === 0 && !jsonl) say("None.");
}
function lineOf(row) {
  const { id, type, status, amount, currency, merchant_reference, reference, name, code, created_at } = row;
  const sum = typeof amount === "number" ? `${amount} ${String(currency ?? "XOF")}` : null;
  const parts = [created_at, id ?? code, type, status, sum, merchant_reference ?? reference ?? name];
  return parts.filter((part) => part !== null && part !== void 0 && part !== "").join("  ");
}
async function confirmLive(mode, what, yes) {
  if (mode === "test" || yes) return;
  if (!process.stdin.isTTY) throw new Sentence(`This key is live: ${what} is real. Repeat it with --yes.`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question(`This key is live: ${what} is real. Type yes to go on: `);
  lines.close();
  if (answer.trim() !== "yes") throw new Sentence("Nothing was sent.");
}
async function readInput() {
  const parts = [];
  for await (const part of process.stdin) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}
async function readSecret(question) {
  const { stdin } = process;
  if (!stdin.isTTY) return (await readInput()).toString("utf8").trim();
  process.stderr.write(question);
  stdin.setRawMode(true);
  let typed = "";
  try {
    for await (const part of stdin) {
      for (const letter of String(part)) {
        if (letter === "\r" || letter === "\n") return typed.trim();
        if (letter === "") throw new Sentence("Nothing was kept.");
        typed = letter === "" || letter === "\b" ? typed.slice(0, -1) : typed + letter;
      }
    }
    return typed.trim();
  } finally {
    stdin.setRawMode(false);
    process.stderr.write("\n");
  }
}

// bdm/forward.ts
var RECEIVER_MS = 1e4;
var PAUSE_MS = 1e3;
var PAUSE_MAX_MS = 3e4;
var SHOWN = 300;
function receiverAt(url2) {
  if (url2 === void 0) throw new Sentence("--forward-to is missing: such as http://localhost:3000/webhooks.");
  const read2 = URL.canParse(url2) ? new URL(url2) : null;
  if (read2 !== null && /^https?:$/.test(read2.protocol) && read2.username === "" && read2.hash === "") return read2.href;
  throw new Sentence("--forward-to must be an address of a receiver, such as http://localhost:3000/webhooks.");
}
async function forward({ url: url2, secret, prefix }, event, { signature, signal } = {}) {
  const body = JSON.stringify(event);
  const headers = {
    "content-type": "application/json",
    "user-agent": "bdm-Webhooks/1.0",
    [`${prefix}-event-id`]: event.id,
    [`${prefix}-signature`]: signature ?? await sign(body, secret)
  };
  const timeout = AbortSignal.timeout(RECEIVER_MS);
  try {
    const answer = await fetch(url2, {
      ...{ method: "POST", body, headers, redirect: "manual" },
      signal: signal === void 0 ? timeout : AbortSignal.any([timeout, signal])
    });
    return { status: answer.status, text: (await answer.text()).slice(0, SHOWN).replaceAll(/\s+/g, " ").trim() };
  } catch (error) {
    if (timeout.aborted) return { status: null, text: `nothing came within ${RECEIVER_MS / 1e3} s` };
    const { cause, message } = error;
    return { status: null, text: cause?.code ?? cause?.message ?? message };
  }
}
var isTaken = ({ status }) => status !== null && status > 199 && status < 300;
function remedyOf({ status, text: text2 }, url2) {
  if (status === null) return `no answer from ${url2} (${text2}): start your receiver, or check its address`;
  const said = text2 === "" ? "" : `: ${text2}`;
  if (status === 400) return `400${said} (its secret must be the one printed above)`;
  if (status === 404 || status === 405) return `${status}: check the path of ${url2}, and that it takes POST`;
  if (status > 299 && status < 400) return `${status}: give --forward-to the final address, redirects are not followed`;
  return `${status}${said}`;
}
var REFUSALS = 3;
async function forwardUntilTaken(receiver, event, signal) {
  let told = "";
  let refusals = 0;
  for (let pause = PAUSE_MS; ; pause = Math.min(PAUSE_MAX_MS, pause * 2)) {
    const answer = await forward(receiver, event, { signal });
    if (isTaken(answer)) {
      say(`${event.type}  ${event.id}  ${answer.status}`);
      return true;
    }
    if (signal.aborted) return false;
    const remedy = remedyOf(answer, receiver.url);
    if (remedy !== told) say(`${event.type}  ${event.id}  ${remedy}. It will be sent again.`);
    told = remedy;
    if (answer.status !== null) refusals += 1;
    if (answer.status !== null && refusals === REFUSALS)
      say(`${event.id} holds up what follows, so that nothing is lost. To go on without it: add --skip ${event.id}.`);
    await sleep(pause, signal);
    if (signal.aborted) return false;
  }
}

// bdm/doctor.ts
var CLOCK_MAX_S = 60;
async function doctor(profile, { client, seen, mode }, options2) {
  const checks = [];
  const note = (name, remedy) => {
    checks.push({ name, remedy });
    put(`${remedy === null ? "ok " : "NO "} ${name}${remedy === null ? "" : `: ${remedy}`}`);
  };
  const failure = await readOne(client);
  note(`key and address, ${profile.url}`, failure);
  if (seen.clock_ahead !== null) note("clock", clockRemedy(seen.clock_ahead));
  const wanted = options2.live ? "live" : "test";
  note(
    `mode, ${mode}`,
    mode === wanted ? null : `this key is ${mode}, and ${wanted} was asked for: log in with a ${wanted} key`
  );
  if (options2.live && !profile.url.startsWith("https://")) note("encryption", "live mode needs an https:// address");
  if (options2["forward-to"] !== void 0) {
    const receiver = { url: receiverAt(options2["forward-to"]), secret: profile.secret, prefix: seen.prefix };
    for (const { name, remedy } of await checkReceiver(receiver, mode === "live")) note(name, remedy);
  }
  const faults = checks.filter(({ remedy }) => remedy !== null).length;
  if (faults > 0) throw new Sentence(`${faults} of ${checks.length} checks failed.`);
}
async function readOne(client) {
  try {
    for await (const _ of client.events.list({ limit: "1" })) break;
    return null;
  } catch (error) {
    return sentenceOf(error) ?? String(error);
  }
}
function clockRemedy(ahead) {
  if (Math.abs(ahead) <= CLOCK_MAX_S) return null;
  const side = ahead > 0 ? "ahead of" : "behind";
  return `this machine is ${Math.abs(ahead)} s ${side} the service: set its clock (timedatectl set-ntp true), or every signature is refused`;
}
async function checkReceiver(receiver, livemode) {
  const event = {
    ...{ id: "evt_00000000000000000000000000", object: "event", type: "endpoint.test", livemode, data: {} },
    created_at: (/* @__PURE__ */ new Date()).toISOString()
  };
  const right = await forward(receiver, event);
  const taken = { name: "receiver takes a signed event", remedy: isTaken(right) ? null : remedyOf(right, receiver.url) };
  if (right.status === null) return [taken];
  const wrong = await forward(receiver, event, { signature: await sign(JSON.stringify(event), "whsec_of_nobody") });
  const remedy = isTaken(wrong) ? "it took a wrong signature: verify each webhook before you act on it" : null;
  return [taken, { name: "receiver refuses a wrong signature", remedy }];
}

// bdm/profile.ts
import { createHash, randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
var NAME = /^[\w-]{1,40}$/;
function folder() {
  return join(process.env.XDG_CONFIG_HOME ?? join(homedir(), ".config"), "bdm");
}
function fileOf(name) {
  if (!NAME.test(name)) throw new Sentence("--profile has 1 to 40 letters, digits, - or _.");
  return join(folder(), `${name}.json`);
}
async function keepProfile(name, { url: url2, key }) {
  const file = fileOf(name);
  const before = await read(file).catch(() => null);
  const secret = before?.secret ?? `whsec_${randomBytes(24).toString("base64url")}`;
  await writeWhole(file, `${JSON.stringify({ url: url2, key, secret }, null, 2)}
`);
  return file;
}
async function readProfile(name) {
  const file = fileOf(name);
  const found = await stat(file).catch(() => null);
  const words = name === "default" ? "" : ` --profile ${name}`;
  if (found === null) throw new Sentence(`Nobody has logged in yet: run bdm login${words} first.`);
  if (process.platform !== "win32" && (found.mode & 63) !== 0)
    throw new Sentence(
      `Others on this machine can read ${file}: run chmod 600 on it, or bdm login${words} with a new key.`
    );
  const kept = await read(file);
  if (kept === null) throw new Sentence(`${file} is damaged: run bdm login${words} again.`);
  return { name, ...kept };
}
async function read(file) {
  try {
    const { url: url2, key, secret } = JSON.parse(await readFile(file, "utf8"));
    const whole = [url2, key, secret].every((one) => typeof one === "string" && one !== "");
    return whole ? { url: String(url2), key: String(key), secret: String(secret) } : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
function placeOf({ name, url: url2 }, forward_to) {
  const hash = createHash("sha256").update(`${url2}\0${forward_to}`).digest("hex").slice(0, 12);
  const file = join(folder(), `${name}.${hash}.cursor`);
  return {
    file,
    /** Null: none is kept. @throws Sentence when the file holds something else */
    async read() {
      const text2 = await readFile(file, "utf8").catch((error) => {
        if (error.code === "ENOENT") return null;
        throw error;
      });
      if (text2 === null || /^[\w-]{1,200}\n$/.test(text2)) return text2?.trim() ?? null;
      throw new Sentence(`${file} holds no cursor: begin with --from begin, or with --from and a moment.`);
    },
    keep: (cursor) => writeWhole(file, `${cursor}
`)
  };
}
async function writeWhole(file, text2) {
  await mkdir(dirname(file), { recursive: true, mode: 448 });
  const draft = `${file}.${process.pid}.part`;
  const handle = await open(draft, "w", 384);
  try {
    await handle.writeFile(text2);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}

// bdm/listen.ts
var FIREWALL_MS = 5e3;
var TOLD_MS = 6e4;
async function listen(profile, options2, signal) {
  const url2 = receiverAt(options2["forward-to"]);
  const place = placeOf(profile, url2);
  const { client, send, seen, mode } = connect(profile, { onAttempt: tellTrouble(profile.url) });
  const from = options2.from ?? "last";
  const kept = from === "last" ? await place.read() : null;
  let after = kept ?? (from === "last" ? "now" : from);
  if (after === "now") {
    after = (await send({ method: "GET", path: "/x/events", query: { after }, call: { signal } })).next;
    await place.keep(after);
  }
  say(`Forwarding ${mode} events to ${url2}, ${kept === null ? "anew" : "from where it stopped"}.`);
  say(`Signing secret of your receiver: ${profile.secret}`);
  say(`Your place is kept in ${place.file}.`);
  while (!signal.aborted) {
    try {
      for await (const { event, cursor } of client.events.follow({ after, signal })) {
        const receiver = { url: url2, secret: profile.secret, prefix: seen.prefix };
        if (event.id === options2.skip) say(`${event.type}  ${event.id}  skipped`);
        else if (!await forwardUntilTaken(receiver, event, signal)) return;
        await place.keep(cursor);
        after = cursor;
      }
    } catch (error) {
      if (!isPassing2(error)) throw explain(error, options2["forward-to"]);
      await sleep(FIREWALL_MS, signal);
    }
  }
}
function isPassing2(error) {
  const { kind, status } = error instanceof BandamaError ? error : { kind: null, status: null };
  return kind === "unreadable" && !(status !== null && status > 299 && status < 400);
}
function explain(error, forward_to) {
  if (!(error instanceof BandamaError) || error.code !== "invalid_request") return error;
  const words = `bdm listen --forward-to ${forward_to}`;
  return new Sentence(
    `The kept place is refused, because it is that of another merchant or mode, or this instance has no feed: log in with the key of before, or begin anew with ${words} --from now. (${error.message})`
  );
}
function tellTrouble(url2) {
  let since = null;
  let told = 0;
  return ({ code, status }) => {
    const now = Date.now();
    if (code === null || status !== null && status > 399 && code !== "unreadable" && status < 500 && status !== 429) {
      if (since !== null && code === null) say(`${url2} answers again, after ${Math.round((now - since) / 1e3)} s.`);
      since = null;
      told = 0;
      return;
    }
    since ??= now;
    if (now - told < TOLD_MS) return;
    told = now;
    const what = code === "no_answer" ? `No answer from ${url2}: check the network` : code === "unreadable" ? `${url2} answered ${status} with something that is not its JSON: check the address, and any proxy or firewall` : `${url2} answered ${status} ${code}`;
    say(`${what}. bdm tries again, and your place is kept.`);
  };
}

// bdm/login.ts
async function login(profile, options2) {
  const url2 = (options2.url ?? url).replace(/\/+$/, "");
  if (url2 === "") throw new Sentence("--url is missing: the address of your instance, such as https://pay.example.ci.");
  const key = process.env.BANDAMA_KEY ?? await readSecret("Secret key, from the console: ");
  if (key === "") throw new Sentence("No key came: type it when asked, send it on standard input, or set BANDAMA_KEY.");
  const { client, mode } = connect({ url: url2, key });
  for await (const _ of client.events.list({ limit: "1" })) break;
  const file = await keepProfile(profile, { url: url2, key });
  put(`Logged in at ${url2} in ${mode} mode. Kept in ${file}.`);
}

// bdm/logs.ts
var POLL_MS2 = 2e3;
var PAGE = 100;
var PAGES_MAX = 20;
var SEEN_MAX = 1e4;
var FIRST = 20;
var PATH = "/x/requests";
async function tailLogs({ send }, form, signal) {
  const seen = /* @__PURE__ */ new Set();
  const call = { signal, retries: Number.POSITIVE_INFINITY };
  for (let first = true; !signal.aborted; first = false) {
    const fresh = [];
    let from = null;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const query = { limit: PAGE, starting_after: from };
      const page = await send({ method: "GET", path: PATH, query, call });
      const unseen = page.data.filter(({ id }) => !seen.has(id));
      fresh.push(...unseen);
      from = first || unseen.length < page.data.length ? null : page.next;
      if (from === null) break;
    }
    for (const { id } of fresh) seen.add(id);
    for (const id of seen) {
      if (seen.size <= SEEN_MAX) break;
      seen.delete(id);
    }
    const shown = fresh.filter(({ path }) => path !== PATH).reverse();
    for (const one of first ? shown.slice(-FIRST) : shown)
      put(form.json || form.jsonl ? JSON.stringify(one) : lineOf2(one));
    await sleep(POLL_MS2, signal);
  }
}
function lineOf2({ created_at, method, path, status, error_code, duration_ms, id }) {
  const code = error_code === null ? "" : ` ${error_code}`;
  return `${created_at}  ${status}${code}  ${method} ${path}  ${duration_ms} ms  ${id}`;
}

// bdm/read.ts
import { readFile as readFile2 } from "node:fs/promises";
async function get({ client }, id, form) {
  if (id === void 0) throw new Sentence("Which one? Such as bdm get txn_….");
  const prefix = id.slice(0, id.indexOf("_") + 1);
  const read2 = {
    // Payments and payouts have the same prefix.
    txn_: () => client.payments.get(id).catch((error) => {
      if (error.code !== "resource_not_found" && error.code !== "insufficient_scope") throw error;
      return client.payouts.get(id);
    }),
    por_: () => client.payouts.get(id),
    pob_: () => client.batches.get(id),
    pbd_: () => client.beneficiaries.get(id),
    stl_: () => client.settlements.get(id),
    lnk_: () => client.links.get(id),
    evt_: () => client.events.get(id)
  };
  const reader = Object.hasOwn(read2, prefix) ? read2[prefix] : void 0;
  if (reader === void 0) throw new Sentence(`${id} has no known prefix: use one of ${Object.keys(read2).join(", ")}.`);
  putOne(await reader(), form);
}
async function list({ client }, [what = "", ...filters], options2) {
  const lists = {
    payments: client.payments.list,
    payouts: client.payouts.list,
    batches: client.batches.list,
    settlements: client.settlements.list,
    beneficiaries: client.beneficiaries.list,
    links: client.links.list,
    events: client.events.list
  };
  const read2 = Object.hasOwn(lists, what) ? lists[what] : null;
  if (read2 === null) throw new Sentence(`Which list? One of ${Object.keys(lists).join(", ")}.`);
  const limit = Number(options2.limit ?? 20);
  if (!Number.isInteger(limit) || limit < 1) throw new Sentence("--limit must be a whole number of at least 1.");
  await putAll(read2({ limit: String(Math.min(limit, 100)), ...fieldsOf(filters) }), limit, options2);
}
var NUMBERS = /* @__PURE__ */ new Set(["amount", "min_amount", "max_amount"]);
var empty = () => /* @__PURE__ */ Object.create(null);
function fieldsOf(words) {
  const fields = empty();
  for (const word of words) {
    const [, path, how, text2] = /^([a-z_]+(?:\.[a-z_]+)*)(:?=)(.*)$/s.exec(word) ?? [];
    if (path === void 0) throw new Sentence(`${word} is no field: write name=value, or name:=JSON.`);
    const names = path.split(".");
    let at2 = fields;
    for (const name of names.slice(0, -1)) {
      const inner = at2[name] ?? empty();
      if (typeof inner !== "object" || inner === null)
        throw new Sentence(`${name} is given twice: as a value, and with ${path}.`);
      at2[name] = inner;
      at2 = inner;
    }
    const last = names.at(-1);
    at2[last] = how === ":=" ? jsonOf(text2, path) : NUMBERS.has(last) && /^\d{1,12}$/.test(text2) ? Number(text2) : text2;
  }
  return fields;
}
function jsonOf(text2, path) {
  try {
    return JSON.parse(text2);
  } catch {
    throw new Sentence(`${path} is no JSON: write ${path}=… for a text.`);
  }
}
var makers = (client) => ({
  payment: client.payments.create,
  checkout: client.checkout.create,
  link: client.links.create,
  payout: client.payouts.create,
  batch: client.batches.create,
  settlement: client.settlements.create,
  beneficiary: client.beneficiaries.create
});
var made = ["payment", "checkout", "link", "payout", "batch", "settlement", "beneficiary"];
async function create({ client }, [what = "", ...words], options2) {
  const call = options2.key === void 0 ? {} : { idempotencyKey: options2.key };
  putOne(await makers(client)[what](fieldsOf(words), call), options2);
}
async function verify2(secret, file, { signature }) {
  if (signature === void 0)
    throw new Sentence("--signature is missing: the header of the webhook that ends in -Signature, t=…,v1=….");
  const body = file === void 0 || file === "-" ? await readInput() : await readFile2(file).catch(() => null);
  if (body === null) throw new Sentence(`${file} cannot be read: give the file with the body as it came.`);
  const { type, id } = await verify(body, secret, { headers: { "x-signature": signature } });
  put(`Right: ${type} ${id}.`);
}

// bdm/trigger.ts
import { randomInt } from "node:crypto";
var ends = {
  "payment.pending": "0000",
  "payment.succeeded": "0000",
  "payment.failed": "0002",
  "payment.expired": "0003"
};
async function trigger({ client, mode }, type, { amount = "10000", ...form }) {
  const end = type !== void 0 && Object.hasOwn(ends, type) ? ends[type] : void 0;
  if (end === void 0) throw new Sentence(`Which event? One of ${Object.keys(ends).join(", ")}.`);
  if (mode === "live")
    throw new Sentence("trigger makes test payments: bdm login --profile test with a test key, then --profile test.");
  if (!/^\d{1,12}$/.test(amount)) throw new Sentence("--amount must be whole francs, such as 10000.");
  const msisdn = `07${String(randomInt(1e4)).padStart(4, "0")}${end}`;
  const made2 = await client.payments.create({ amount: Number(amount), counterparty: { msisdn } });
  say(`${made2.id} created`);
  const ended = await client.payments.wait(made2.id);
  if (form.json || form.jsonl) putOne(ended, form);
  else
    say(
      `${ended.id} ${ended.status}${ended.failure_code == null ? "" : ` ${ended.failure_code}`} (${outcomeOf(ended)})`
    );
}

// bdm/main.ts
var USAGE = `bdm ${version}: an instance and your program, from a terminal.

  bdm login [--url URL]                      keeps an address and a key
  bdm listen --forward-to URL [--from last|now|begin|CURSOR|MOMENT] [--skip evt_…]
                                             hands each event, signed, to your receiver
  bdm trigger payment.failed [--amount N]    makes the test payment that ends so
  bdm logs tail                              shows your requests as they are answered
  bdm get ID                                 reads a resource
  bdm list payments [status=failed …] [--limit N]
  bdm create payment amount=10000 counterparty.msisdn=0700000000 [--key K] [--yes]
  bdm replay evt_… [--forward-to URL]        sends an event again, or hands it to your receiver
  bdm verify --signature t=…,v1=… [FILE]     checks a webhook with WEBHOOK_SECRET, or the secret of listen
  bdm doctor [--live] [--forward-to URL]     checks clock, key, mode, receiver and signature

With each: --profile NAME, --json, --jsonl.`;
var text = { type: "string" };
var flag = { type: "boolean" };
var common = { profile: text, json: flag, jsonl: flag, help: { type: "boolean", short: "h" } };
var options = {
  login: { url: text },
  listen: { "forward-to": text, from: text, skip: text },
  trigger: { amount: text },
  logs: {},
  get: {},
  list: { limit: text },
  create: { key: text, yes: flag },
  replay: { "forward-to": text, yes: flag },
  verify: { signature: text },
  doctor: { live: flag, "forward-to": text }
};
var commands = {
  listen: ({ profile, given, signal }) => listen(profile, given, signal),
  trigger: ({ connection, words, given }) => trigger(connection, words[0], given),
  async logs({ connection, words, given, signal }) {
    if (words[0] !== "tail") throw new Sentence("bdm logs tail shows your requests as they are answered.");
    await tailLogs(connection, given, signal);
  },
  get: ({ connection, words, given }) => get(connection, words[0], given),
  list: ({ connection, words, given }) => list(connection, words, given),
  async create({ connection, words, given }) {
    if (!made.some((one) => one === words[0])) throw new Sentence(`Create what? One of ${made.join(", ")}.`);
    await confirmLive(connection.mode, `this ${words[0]}`, given.yes);
    await create(connection, words, given);
  },
  async replay({ profile, connection, words: [id], given }) {
    if (id === void 0) throw new Sentence("Which event? Such as bdm replay evt_….");
    if (given["forward-to"] === void 0) {
      putOne(await connection.client.events.replay(id), given);
      return;
    }
    const url2 = receiverAt(given["forward-to"]);
    const { deliveries: _, ...event } = await connection.client.events.get(id);
    const receiver = { url: url2, secret: profile.secret, prefix: connection.seen.prefix };
    const answer = await forward(receiver, event);
    if (!isTaken(answer)) throw new Sentence(`${remedyOf(answer, url2)}.`);
    put(`${event.type}  ${id}  ${answer.status}`);
  },
  verify: ({ profile, words, given }) => verify2(process.env.WEBHOOK_SECRET ?? profile.secret, words[0], given),
  doctor: ({ profile, connection, given }) => doctor(profile, connection, given)
};
async function run(argv) {
  const [name = "", ...rest] = argv;
  if (name === "--version") {
    put(version);
    return 0;
  }
  if (!Object.hasOwn(options, name)) {
    say(name === "" || name === "help" || name === "--help" ? USAGE : `There is no command ${name}.

${USAGE}`);
    return name === "" ? 2 : name.includes("help") ? 0 : 2;
  }
  const command = name;
  const parsed = parseArgs({ args: rest, options: { ...common, ...options[command] }, allowPositionals: true });
  const given = parsed.values;
  if (given.help) {
    say(USAGE);
    return 0;
  }
  const at2 = given.profile ?? "default";
  if (command === "login") await login(at2, given);
  else {
    const profile = await readProfile(at2);
    const stop = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());
    const connection = connect(profile);
    await commands[command]({ words: parsed.positionals, given, profile, connection, signal: stop.signal });
  }
  return 0;
}
process.stdout.on("error", () => process.exit(0));
try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const sentence = sentenceOf(error);
  if (sentence === null) throw error;
  if (error.kind !== "aborted") say(sentence);
  process.exitCode = error.kind === "aborted" ? 0 : 1;
}
