import { objectIn } from '../operator-api/answer-words.ts'
import type { OperatorHttp, OperatorReply, OperatorRequest } from '../operator-api/operator-http.ts'
import { type IssuedToken, keepToken, type ReplyWithToken, type TokenReply } from '../operator-api/operator-token.ts'
import { keysOf, type MtnMomoSettings, type Product, type ProductKeys, type SubscriptionKeyName } from './settings.ts'
import { refusesKey } from './translate.ts'

/** The kinds of orders that we send to MTN, as in its addresses, with their product. */
export const orderPaths = {
  requesttopay: 'collection',
  transfer: 'disbursement',
  refund: 'disbursement',
} as const satisfies Record<string, Product>
export type OrderPath = keyof typeof orderPaths

/** The calls to MTN's MoMo API. `translate.ts` reads their replies. A call to a product without keys throws. */
export type MtnMomoClient = {
  /** Sends an order under our reference. */
  create(path: OrderPath, reference: string, body: object): Promise<ReplyWithToken>
  readOrder(path: OrderPath, reference: string): Promise<ReplyWithToken>
  balance(product: Product): Promise<ReplyWithToken>
  /** The name of the holder of a number, such as 2250506123456. */
  accountHolder(number: string): Promise<ReplyWithToken>
  /** Returns the present token, or fetches one. */
  token(product: Product): Promise<TokenReply>
  /** Whether MTN refuses one key of a product, which the contract must have, although it gave a token. */
  refusesKey(product: Product, name: SubscriptionKeyName): Promise<boolean>
  /** The API user of a product. Only the sandbox has this call. */
  apiUser(product: Product): Promise<OperatorReply>
}

/** Milliseconds. With a renewed token a send takes two tokens and two calls, which must end before the caller gives up. */
const TOKEN_DEADLINE_MS = 8_000
const SEND_DEADLINE_MS = 20_000
const READ_DEADLINE_MS = 15_000

/** Seconds of a token's life when MTN does not state it. */
const TOKEN_SECONDS = 300

/** @throws SettingsError when some keys of a product are missing */
export function createMtnMomoClient(
  settings: MtnMomoSettings,
  { http, callback_url, now }: { http: OperatorHttp; callback_url: string; now(): Date },
): MtnMomoClient {
  const doors = {
    collection: doorOf('collection', keysOf(settings, 'collection'), http, now),
    disbursement: doorOf('disbursement', keysOf(settings, 'disbursement'), http, now),
  }
  const { target_environment, send_callback_url = true } = settings
  const callback: Record<string, string> = send_callback_url ? { 'x-callback-url': callback_url } : {}

  const withToken = (request: OperatorRequest, token: string): OperatorRequest => ({
    ...request,
    headers: { ...request.headers, authorization: `Bearer ${token}`, 'x-target-environment': target_environment },
  })
  function call(product: Product, request: OperatorRequest): Promise<ReplyWithToken> {
    const { tokens, callWithKey } = openDoor(doors[product], product)
    return tokens.call((token) => callWithKey(withToken(request, token)))
  }

  return {
    create: (path, reference, body) =>
      call(orderPaths[path], {
        method: 'POST',
        path: `/${orderPaths[path]}/v1_0/${path}`,
        headers: { 'x-reference-id': reference, ...callback, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        deadline_ms: SEND_DEADLINE_MS,
      }),
    readOrder: (path, reference) =>
      call(orderPaths[path], {
        method: 'GET',
        path: `/${orderPaths[path]}/v1_0/${path}/${encodeURIComponent(reference)}`,
        deadline_ms: READ_DEADLINE_MS,
      }),
    balance: (product) => call(product, balanceOf(product)),
    accountHolder: (number) =>
      call('disbursement', {
        method: 'GET',
        path: `/disbursement/v1_0/accountholder/msisdn/${encodeURIComponent(number)}/basicuserinfo`,
        deadline_ms: READ_DEADLINE_MS,
      }),
    token: (product) => openDoor(doors[product], product).tokens.get(),
    async refusesKey(product, name) {
      const { keys, tokens } = openDoor(doors[product], product)
      const held = await tokens.get()
      if (held.kind === 'refused') return false
      return refusesKey(await http.call(withKey(withToken(balanceOf(product), held.token), keys[name]!)))
    },
    apiUser(product) {
      const { keys, callWithKey } = openDoor(doors[product], product)
      return callWithKey({
        method: 'GET',
        path: `/v1_0/apiuser/${encodeURIComponent(keys.api_user)}`,
        deadline_ms: READ_DEADLINE_MS,
      })
    },
  }
}

function balanceOf(product: Product): OperatorRequest {
  return { method: 'GET', path: `/${product}/v1_0/account/balance`, deadline_ms: READ_DEADLINE_MS }
}

type Door = ReturnType<typeof doorOf>

function openDoor(door: Door, product: Product): NonNullable<Door> {
  if (door === null) throw new Error(`the contract has no keys of ${product}`)
  return door
}

/** The keys and the token of a product. Null when it has no keys. */
function doorOf(product: Product, keys: ProductKeys | null, http: OperatorHttp, now: () => Date) {
  if (keys === null) return null
  const authorization = `Basic ${Buffer.from(`${keys.api_user}:${keys.api_key}`).toString('base64')}`
  const callWithKey = keyedCalls(keys, http, now)
  /** The sources disagree about the body. We first send none, and JSON if MTN asks for one. */
  let asks_with_json = false

  function post(json: boolean): Promise<OperatorReply> {
    return callWithKey({
      method: 'POST',
      // MTN requires the final slash.
      path: `/${product}/token/`,
      headers: {
        authorization,
        ...(json ? { 'content-type': 'application/json' } : { 'content-length': '0' }),
      },
      body: json ? '{"grant_type":"client_credentials"}' : '',
      deadline_ms: TOKEN_DEADLINE_MS,
    })
  }

  const tokens = keepToken({
    async ask() {
      const reply = await post(asks_with_json)
      const other = reply.kind === 'answered' && (reply.status === 411 || reply.status === 400)
      if (!other) return reply
      asks_with_json = !asks_with_json
      return await post(asks_with_json)
    },
    read: readToken,
    now,
  })
  return { keys, tokens, callWithKey }
}

/**
 * Calls a product with the subscription key that it accepted last. If MTN refuses this key, the same request goes out once more with the other
 * key of the pair, within the same deadline.
 */
function keyedCalls(keys: ProductKeys, http: OperatorHttp, now: () => Date) {
  const pair = [keys.subscription_key, keys.secondary_subscription_key]
  let accepted = keys.subscription_key

  return async (request: OperatorRequest): Promise<OperatorReply> => {
    const key = accepted
    const began = now().getTime()
    const reply = await http.call(withKey(request, key))
    const other = pair.find((one) => one !== undefined && one !== key)
    if (other === undefined || !refusesKey(reply)) return reply
    const deadline_ms = Math.max((request.deadline_ms ?? SEND_DEADLINE_MS) - (now().getTime() - began), 1)
    const second = await http.call(withKey({ ...request, deadline_ms }, other))
    if (second.kind === 'answered' && !refusesKey(second)) accepted = other
    return second
  }
}

function withKey(request: OperatorRequest, key: string): OperatorRequest {
  return { ...request, headers: { ...request.headers, 'ocp-apim-subscription-key': key } }
}

/** A page with status 200 is not a token. It comes from a firewall in front of MTN. */
function readToken(reply: OperatorReply): IssuedToken | null {
  const body = reply.kind === 'answered' && reply.status === 200 ? objectIn(reply.json) : null
  const { access_token: token, expires_in } = body ?? {}
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(token)) return null
  const seconds = Number.isInteger(expires_in) ? Number(expires_in) : TOKEN_SECONDS
  return { token, seconds: Math.min(Math.max(seconds, 1), 86_400) }
}
