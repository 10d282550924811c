import { randomBytes, randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import type { ApiContext } from '../api.ts'
import type { TwinAnswer, TwinRequest } from '../wire.ts'
import { isUuid4 } from './orders.ts'
import { isSandbox, type Keys, type Product, products, type Settings, subscriptionKeys } from './settings.ts'
import { badRequest, firewall, gateway, said } from './words.ts'

/** An API user: known to one product, called back at one host. `key` null: it was given none yet. */
type User = { product: Product; host: string; key: string | null }
type Token = { product: Product; user: string; until: number }
export type Memory = { users?: Record<string, User>; tokens?: Record<string, Token> }

type Parts = Pick<ApiContext, 'time'> & {
  readonly settings: Settings
  readonly memory: Memory
  /** The users that were made here. Those of the settings are not among them. */
  readonly users: Record<string, User>
}

/** Subscription keys, API users and tokens. */
export function accessOf({
  settings,
  memory,
  time,
}: { settings: Settings; memory: Memory } & Pick<ApiContext, 'time'>) {
  memory.users ??= {}
  memory.tokens ??= {}
  const parts: Parts = { settings, memory, time, users: memory.users }
  return {
    provision: (request: TwinRequest, rest: readonly string[]) => provision(parts, request, rest),
    issue: (product: Product, request: TwinRequest) => issue(parts, product, request),
    admit: (product: Product, request: TwinRequest) => admit(parts, product, request),
    /** Makes every token bad. */
    forgetTokens() {
      memory.tokens = {}
    },
    /** Replaces one key of each product's pair. The other stays good. */
    rotateKey(name: (typeof subscriptionKeys)[number]) {
      for (const product of products)
        settings[product] = { ...settings[product], [name]: `twin-mtn-${product}-${randomBytes(8).toString('hex')}` }
    },
  }
}

function userNamed({ settings, users }: Parts, id: string): User | null {
  for (const product of products) {
    const { api_user, api_key }: Keys = settings[product]
    if (api_user === id) return { product, host: settings.callback_host, key: api_key }
  }
  return Object.hasOwn(users, id) ? users[id]! : null
}

function productOfKey({ settings }: Parts, { headers }: TwinRequest): Product | null {
  const key = headers['ocp-apim-subscription-key']
  if (key === undefined) return null
  return products.find((product) => subscriptionKeys.some((name) => settings[product][name] === key)) ?? null
}

/** Answers `/v1_0/apiuser…`. @param rest the parts behind it */
function provision(parts: Parts, request: TwinRequest, rest: readonly string[]): TwinAnswer {
  const { settings, users } = parts
  if (!isSandbox(settings)) return gateway(404, 'Resource not found', 'Whether production has these calls at all.')
  const product = productOfKey(parts, request)
  if (product === null) return wrongKey
  const [id = '', act] = rest
  if (request.method === 'POST' && rest.length === 0) return createUser(parts, request, product)
  const user = userNamed(parts, id)
  if (user === null || user.product !== product) return said('RESOURCE_NOT_FOUND')
  if (request.method === 'POST' && act === 'apikey') {
    if (!Object.hasOwn(users, id)) return said('NOT_ALLOWED', 'The users of the settings keep their key.')
    users[id]!.key = randomBytes(16).toString('hex')
    return { status: 201, body: { apiKey: users[id]!.key } }
  }
  if (request.method === 'GET' && act === undefined)
    return { status: 200, body: { providerCallbackHost: user.host, targetEnvironment: settings.target_environment } }
  return gateway(404, 'Resource not found')
}

function createUser(parts: Parts, { headers, body }: TwinRequest, product: Product): TwinAnswer {
  const id = headers['x-reference-id']
  if (!isUuid4(id)) return badRequest('X-Reference-Id is a UUID v4.')
  if (userNamed(parts, id) !== null) return said('RESOURCE_ALREADY_EXIST')
  const host = hostIn(body)
  if (host === null) return badRequest('providerCallbackHost is a name: no scheme, no path, no address.')
  parts.users[id] = { product, host, key: null }
  return { status: 201 }
}

/** Answers the call for a token. */
function issue(parts: Parts, product: Product, request: TwinRequest): TwinAnswer {
  const { settings, memory, time } = parts
  if (productOfKey(parts, request) !== product) return wrongKey
  const { headers, body } = request
  const [, pair = ''] = /^Basic ([A-Za-z0-9+/=]+)$/.exec(headers.authorization ?? '') ?? []
  const [id = '', key = ''] = Buffer.from(pair, 'base64').toString('utf8').split(':')
  const user = userNamed(parts, id)
  if (user === null || user.key === null || user.key !== key)
    return { status: 401, body: { error: 'login_failed' }, unverified: 'The body of this answer.' }
  if (user.product !== product)
    return said('NOT_ALLOWED_TARGET_ENVIRONMENT', 'Whether the token or the first call with it is refused.')
  const form = String(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded')
  if (form && body.length > 0) return firewall(200)
  const sized = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  if (!sized || (body.length === 0 && settings.token_body === 'json'))
    return { status: 411, unverified: 'Whether an empty body of length 0 is taken.' }
  if (body.length > 0 && settings.token_body === 'empty') return badRequest('A body was not expected.')
  const access_token = `eyJ0eXAiOiJKV1QifQ.${randomUUID()}`
  const now = time.now()
  const good = Object.entries(memory.tokens ?? {}).filter(([, { until }]) => until > now)
  const until = now + settings.token_seconds * 1000
  memory.tokens = Object.fromEntries([...good, [access_token, { product, user: id, until }]])
  return {
    status: 200,
    body: { access_token, token_type: 'access_token', expires_in: settings.token_seconds },
  }
}

/** The user whose call it is, or the answer that refuses it. */
function admit(parts: Parts, product: Product, request: TwinRequest): { id: string; host: string } | TwinAnswer {
  const { settings, memory, time } = parts
  if (productOfKey(parts, request) !== product) return wrongKey
  const { authorization = '', 'x-target-environment': environment } = request.headers
  const token = memory.tokens?.[authorization.replace(/^Bearer /, '')]
  if (token === undefined || token.until <= time.now())
    return {
      status: 401,
      body: { code: 'UNAUTHORIZED', message: 'The token is unknown or has expired.' },
      unverified: 'The body of this answer.',
    }
  const user = userNamed(parts, token.user)
  if (token.product !== product || user === null || environment !== settings.target_environment)
    return said('NOT_ALLOWED_TARGET_ENVIRONMENT')
  return { id: token.user, host: user.host }
}

const wrongKey: TwinAnswer = gateway(
  401,
  'Access denied due to invalid subscription key. Make sure to provide a valid key for an active subscription.',
)

/** The host in the body of a new user; null when it is none. */
function hostIn(body: Buffer): string | null {
  try {
    const { providerCallbackHost: host } = JSON.parse(body.toString('utf8')) as { providerCallbackHost?: unknown }
    const isName = typeof host === 'string' && /^[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?$/i.test(host) && isIP(host) === 0
    return isName ? host.toLowerCase() : null
  } catch {
    return null
  }
}
