import { createHmac } from 'node:crypto'
import type { OperatorHttp, OperatorReply } from '../operator-api/operator-http.ts'
import { separatorOf, type WaveSettings } from './settings.ts'

/** The calls to Wave's Business API. Their replies are read in `translate.ts`. */
export type WaveClient = {
  /** Makes a checkout session, which moves nothing until a payer pays it. */
  createSession(body: object): Promise<OperatorReply>
  readSession(id: string): Promise<OperatorReply>
  /** All sessions under our reference. */
  searchSessions(reference: string): Promise<OperatorReply>
  /** Gives the whole of a session back. */
  refundSession(id: string): Promise<OperatorReply>
  /** Pays out, once for each key. */
  createPayout(body: object, key: string): Promise<OperatorReply>
  readPayout(id: string): Promise<OperatorReply>
  searchPayouts(reference: string): Promise<OperatorReply>
  /** Has a name compared with that of the holder of a number. */
  verifyRecipient(body: object): Promise<OperatorReply>
  balance(): Promise<OperatorReply>
  /** A page of the movements of a day, such as 2026-03-02. @param after the cursor of the page before; null: the first page */
  transactions(date: string, after: string | null): Promise<OperatorReply>
}

/** Milliseconds for a call that moves nothing. */
const READ_DEADLINE_MS = 15_000
/** Bytes of a page of transactions: Wave says neither how many lines it has nor how to ask for fewer. */
const PAGE_BYTES_MAX = 1_048_576

/** The HMAC of Wave's signatures, in hex: over the digits of a time and the bytes behind it. */
export function waveMac(secret: string, time: string, separator: string, body: Buffer): string {
  return createHmac('sha256', secret).update(`${time}${separator}`).update(body).digest('hex')
}

export function createWaveClient(settings: WaveSettings, http: OperatorHttp, now: () => Date): WaveClient {
  const authorization = `Bearer ${settings.api_key}`

  function signed(body: Buffer): Record<string, string> {
    const { request_signing_secret: secret } = settings
    if (secret === undefined) return {}
    const time = String(Math.floor(now().getTime() / 1_000))
    return { 'wave-signature': `t=${time},v1=${waveMac(secret, time, separatorOf(settings), body)}` }
  }

  function post(
    path: string,
    body: object | null,
    headers: Record<string, string> = {},
    times: { deadline_ms?: number } = {},
  ): Promise<OperatorReply> {
    const bytes = Buffer.from(body === null ? '' : JSON.stringify(body))
    const usual = { authorization, 'content-type': 'application/json', ...signed(bytes) }
    return http.call({ method: 'POST', path, headers: { ...usual, ...headers }, body: bytes, ...times })
  }

  function get(path: string, bounds: { body_max?: number } = {}): Promise<OperatorReply> {
    const headers = { authorization, ...signed(Buffer.alloc(0)) }
    return http.call({ method: 'GET', path, headers, deadline_ms: READ_DEADLINE_MS, ...bounds })
  }

  const search = (path: string, reference: string) => get(`${path}?client_reference=${encodeURIComponent(reference)}`)
  return {
    createSession: (body) => post('/v1/checkout/sessions', body),
    readSession: (id) => get(`/v1/checkout/sessions/${encodeURIComponent(id)}`),
    searchSessions: (reference) => search('/v1/checkout/sessions/search', reference),
    refundSession: (id) => post(`/v1/checkout/sessions/${encodeURIComponent(id)}/refund`, null),
    createPayout: (body, key) => post('/v1/payout', body, { 'idempotency-key': key }),
    readPayout: (id) => get(`/v1/payout/${encodeURIComponent(id)}`),
    searchPayouts: (reference) => search('/v1/payouts/search', reference),
    verifyRecipient: (body) => post('/v1/verify_recipient/', body, {}, { deadline_ms: READ_DEADLINE_MS }),
    balance: () => get('/v1/balance'),
    transactions(date, after) {
      const query = new URLSearchParams({ date, ...(after === null ? {} : { after }) })
      return get(`/v1/transactions?${query}`, { body_max: PAGE_BYTES_MAX })
    },
  }
}
