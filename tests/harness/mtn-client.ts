import { randomUUID } from 'node:crypto'
import { defaults, type Product } from '../../src/twin/mtn/settings.ts'
import { startTwin } from '../../src/twin/start-twin.ts'
import { startReceiver } from './receiver.ts'

export const PAYER = '0506123456'
/** Writes a number as MTN does. */
export const PARTY = '2250506123456'

// biome-ignore lint/suspicious/noExplicitAny: the test says what stands in an answer
type Json = any
type Answer = { status: number; headers: Headers; text: string; body: Json }

/** A client of the twin's MTN API, and a receiver of callbacks. */
export async function startMtnClient() {
  const twin = await startTwin()
  const receiver = await startReceiver()
  const callback_url = `${receiver.url}/operators/mtn/callbacks/token`
  /** A token that is valid for an hour of the twin's clock. */
  const tokens = new Map<Product, string>()
  const settings = () => twin.connectors().mtn!.settings

  async function http(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const sent = body === undefined ? {} : { body: text }
    const answer = await fetch(`${twin.url}/mtn${path}`, { method, headers, ...sent })
    const said = await answer.text()
    return { status: answer.status, headers: answer.headers, text: said, body: jsonIn(said) }
  }

  /** The headers of a request for a token. */
  function basic(product: Product, keys = settings()) {
    const pair = `${keys[`${product}.api_user`]}:${keys[`${product}.api_key`]}`
    return {
      Authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
      'Ocp-Apim-Subscription-Key': keys[`${product}.subscription_key`]!,
    }
  }

  /** Calls a product, with its token and the usual headers. */
  async function call(
    method: string,
    product: Product,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    if (!tokens.has(product))
      tokens.set(product, (await http('POST', `/${product}/token/`, basic(product), '')).body.access_token)
    const usual = {
      ...basic(product),
      Authorization: `Bearer ${tokens.get(product)}`,
      'X-Target-Environment': settings().target_environment!,
      'Content-Type': 'application/json',
    }
    return await http(method, `/${product}${path}`, { ...usual, ...headers }, body)
  }

  function bodyOf(kind: string, changes: object = {}) {
    const party = { partyIdType: 'MSISDN', partyId: PARTY }
    const field = kind === 'requesttopay' ? { payer: party } : kind === 'refund' ? {} : { payee: party }
    return { amount: '2500', currency: settings().currency, externalId: randomUUID(), ...field, ...changes }
  }

  /** Sends an order, with a new reference unless the headers have one. */
  async function order(kind: string, changes: object = {}, headers: Record<string, string> = {}) {
    const reference = headers['X-Reference-Id'] ?? randomUUID()
    const answer = await call('POST', productOf(kind), `/v1_0/${kind}`, {
      body: bodyOf(kind, { externalId: reference, ...changes }),
      headers: { 'X-Reference-Id': reference, 'X-Callback-Url': callback_url, ...headers },
    })
    return { reference, ...answer }
  }

  return {
    twin,
    receiver,
    callback_url,
    tokens,
    settings,
    http,
    basic,
    call,
    bodyOf,
    order,
    read: async (kind: string, reference: string) =>
      (await call('GET', productOf(kind), `/v1_0/${kind}/${reference}`)).body,
    /** Resets all but the clock. */
    async reset() {
      tokens.clear()
      await twin.reset()
      twin.change('mtn', { ...defaults })
      receiver.requests.length = 0
      receiver.answer({})
    },
    async close() {
      await twin.close()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

function jsonIn(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function productOf(kind: string): Product {
  return kind === 'requesttopay' ? 'collection' : 'disbursement'
}

/** Returns the party of an order, by the last two digits, which have a meaning in the sandbox. */
export function numbered(kind: string, ending: number, prefix = '22505000000') {
  const field = kind === 'requesttopay' ? 'payer' : 'payee'
  return { [field]: { partyIdType: 'MSISDN', partyId: `${prefix}${ending}` } }
}
