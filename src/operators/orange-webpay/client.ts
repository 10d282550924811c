import { objectIn } from '../operator-api/answer-words.ts'
import type { OperatorHttp, OperatorReply } from '../operator-api/operator-http.ts'
import { type IssuedToken, keepToken, type ReplyWithToken, type TokenReply } from '../operator-api/operator-token.ts'
import type { OrangeWebpaySettings } from './settings.ts'

/** The three values that Orange requires to read a state. */
export type WebpayQuestion = { order_id: string; amount: number; pay_token: string }

/** The calls to Orange Money Web Payment. `translate.ts` reads their replies. */
export type OrangeWebpayClient = {
  /** Announces an order. It moves no money: the payer has to open the page in the reply. */
  announce(body: object): Promise<ReplyWithToken>
  readStatus(question: WebpayQuestion): Promise<ReplyWithToken>
  /** Returns the present token, or fetches one. */
  token(): Promise<TokenReply>
}

/** Milliseconds. With a renewed token a send takes two tokens and two calls, which must end before the caller gives up. */
const TOKEN_DEADLINE_MS = 8_000
const SEND_DEADLINE_MS = 20_000
const READ_DEADLINE_MS = 15_000

/** Seconds of a token's life when Orange does not state it, and at most. */
const TOKEN_SECONDS = 300
const TOKEN_SECONDS_MAX = 86_400

export function createOrangeWebpayClient(
  { token_path = '/oauth/v3/token', country_path, client_id, client_secret }: OrangeWebpaySettings,
  http: OperatorHttp,
  now: () => Date,
): OrangeWebpayClient {
  // Some clients report a 406 for calls without Accept.
  const accept = 'application/json'
  const tokens = keepToken({
    ask: () =>
      http.call({
        method: 'POST',
        path: token_path,
        headers: {
          accept,
          authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials',
        deadline_ms: TOKEN_DEADLINE_MS,
      }),
    read: readToken,
    now,
  })

  function post(call: string, body: object, deadline_ms: number): Promise<ReplyWithToken> {
    return tokens.call((token) =>
      http.call({
        method: 'POST',
        path: `/orange-money-webpay/${country_path}/v1/${call}`,
        headers: { accept, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        deadline_ms,
      }),
    )
  }

  return {
    announce: (body) => post('webpayment', body, SEND_DEADLINE_MS),
    readStatus: (question) => post('transactionstatus', question, READ_DEADLINE_MS),
    token: () => tokens.get(),
  }
}

/** Old samples have `expires_in` as a text, and some give a token 90 days. */
function readToken(reply: OperatorReply): IssuedToken | null {
  const body = reply.kind === 'answered' && reply.status === 200 ? objectIn(reply.json) : null
  const { access_token: token, expires_in } = body ?? {}
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(token)) return null
  const seconds = /^[1-9]\d{0,8}$/.test(String(expires_in)) ? Number(expires_in) : TOKEN_SECONDS
  return { token, seconds: Math.min(seconds, TOKEN_SECONDS_MAX) }
}
