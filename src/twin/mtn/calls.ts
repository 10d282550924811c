import type { ApiContext } from '../api.ts'
import { type Call, findCall } from '../call-table.ts'
import type { Order } from '../operations.ts'
import type { Operation } from '../state.ts'
import type { TwinAnswer, TwinRequest } from '../wire.ts'
import type { accessOf } from './access.ts'
import { accountHolder } from './account-holders.ts'
import { bodyOf, type Detail } from './data.ts'
import { isUuid4, type OrderBody, readOrder } from './orders.ts'
import { refundTerms } from './refunds.ts'
import { type NumberOutcome, outcomeByNumber } from './sandbox-numbers.ts'
import { currencyOf, type Kind, kindsOf, type Product, products, type Settings, WALLET } from './settings.ts'
import { badRequest, endingWord, gateway, refusedAtOnce, said } from './words.ts'

type Parts = Pick<ApiContext, 'time' | 'phones' | 'operations'> & {
  settings: Settings
  access: ReturnType<typeof accessOf>
  /** An order was taken, and goes its way. */
  taken: (operation: Operation, number: NumberOutcome | null) => void
}

const directions = { requesttopay: 'collection', transfer: 'payout', deposit: 'payout', refund: 'refund' } as const

/** The most characters of a message to the payer. */
const NOTIFICATION_MAX = 160

const unknownPath: TwinAnswer = gateway(404, 'Resource not found', 'How an unknown path is answered.')

type PartsOfUser = Parts & { readonly user: { id: string; host: string } }

/** A call of one product. `versions`: those of the API that have it. */
type ProductCall = Call<PartsOfUser> & { readonly versions: readonly string[] }

const FIRST = ['v1_0']

/** The calls for the orders of one kind. */
function ordersOf(kind: Kind, allowed: (settings: Settings) => boolean): ProductCall[] {
  const versions = kind === 'deposit' || kind === 'refund' ? [...FIRST, 'v2_0'] : FIRST
  return [
    {
      ...{ versions, method: 'POST', path: kind },
      answer: (parts, request) => (allowed(parts.settings) ? order(parts, kind, request) : gateway(403, 'Forbidden')),
    },
    {
      ...{ versions, method: 'GET', path: `${kind}/{reference}` },
      answer: (parts, request, [reference = '']) => read(parts, kind, reference, request),
    },
  ]
}

/** The calls that both products have. */
const commonCalls: readonly ProductCall[] = [
  { versions: FIRST, method: 'GET', path: 'account/balance', answer: (parts) => balance(parts, undefined) },
  {
    ...{ versions: FIRST, method: 'GET', path: 'account/balance/{currency}' },
    answer: (parts, _, [currency]) => balance(parts, currency),
  },
  {
    ...{ versions: FIRST, method: 'GET', path: 'accountholder/*' },
    answer: ({ phones, settings }, _, holder) => accountHolder(phones, holder, settings),
  },
]

const calls: Readonly<Record<Product, readonly ProductCall[]>> = {
  collection: [
    ...kindsOf.collection.flatMap((kind) => ordersOf(kind, () => true)),
    {
      ...{ versions: FIRST, method: 'POST', path: 'requesttopay/{reference}/deliverynotification/*' },
      answer: (parts, { body }, [reference = '']) => notify(parts, reference, body),
    },
    ...commonCalls,
  ],
  disbursement: [
    ...kindsOf.disbursement.flatMap((kind) => ordersOf(kind, ({ transfers_activated }) => transfers_activated)),
    ...commonCalls,
  ],
}

/** Answers the calls of the API: the subscription key first, then the token, then the path. */
export function callsOf(parts: Parts): (request: TwinRequest) => Promise<TwinAnswer> {
  return async (request) => {
    const [first = '', ...path] = request.path.replace(/\/$/, '').split('/').slice(1)
    if (first === 'v1_0' && path[0] === 'apiuser') return parts.access.provision(request, path.slice(1))
    const product = products.find((one) => one === first)
    return product === undefined ? unknownPath : await answerProduct(parts, product, request, path)
  }
}

async function answerProduct(
  parts: Parts,
  product: Product,
  request: TwinRequest,
  [version = '', ...path]: readonly string[],
): Promise<TwinAnswer> {
  const { access } = parts
  if (version === 'token' && request.method === 'POST' && request.path.endsWith('/token/'))
    return access.issue(product, request)
  const user = access.admit(product, request)
  if ('status' in user) return user
  const ofVersion = calls[product].filter(({ versions }) => versions.includes(version))
  const found = findCall(ofVersion, request.method, path)
  return found === null ? unknownPath : await found.row.answer({ ...parts, user }, request, found.values)
}

async function order(parts: PartsOfUser, kind: Kind, request: TwinRequest): Promise<TwinAnswer> {
  const { settings, operations, taken, user } = parts
  const { 'x-reference-id': reference, 'x-callback-url': callback_url } = request.headers
  if (!isUuid4(reference)) return badRequest('X-Reference-Id is a UUID v4.')
  if (reference.toLowerCase() === user.id.toLowerCase())
    return said('RESOURCE_ALREADY_EXIST', 'How the reference of the API user itself is answered.')
  const address = addressIn(callback_url, user.host)
  if (address === null) return said('INVALID_CALLBACK_URL_HOST')
  const read = readOrder(kind, request.body, settings)
  if ('status' in read) return read
  const { meant, number, unverified } = meaning(parts, kind, reference.toLowerCase(), read, address)
  const submitted = await operations.submit(request, meant)
  if (submitted.kind === 'duplicate') return said('RESOURCE_ALREADY_EXIST')
  if (submitted.kind === 'refused') return refusedAtOnce(submitted.reason)
  taken(submitted.operation, number)
  return { status: 202, ...(unverified === undefined ? {} : { unverified }) }
}

/** The order for the core. */
function meaning(
  { settings, operations }: Parts,
  kind: Kind,
  reference: string,
  { amount, external_id, payer_message, payee_note, party, refers_to }: OrderBody,
  callback_url: string | undefined,
): { meant: Order; number: NumberOutcome | null; unverified?: string } {
  const refund = refers_to === null ? null : refundTerms(operations, refers_to, amount)
  const number = refund === null ? outcomeByNumber(kind, party!, settings) : refund.number
  const detail: Detail = {
    external_id: external_id.toLowerCase() === reference ? null : external_id,
    ...(payer_message === undefined ? {} : { payer_message }),
    ...(payee_note === undefined ? {} : { payee_note }),
    ...(party === null ? {} : { party }),
    ...(refers_to === null ? {} : { refers_to }),
    ...(callback_url === undefined ? {} : { callback_url }),
    ...(number?.created === true ? { created: true } : {}),
  }
  const telephone = party !== null && /^2250[157]\d{8}$/.test(party.partyId) ? `+${party.partyId}` : null
  const unverified = number?.unverified ?? refund?.unverified
  const meant = {
    api: 'mtn',
    kind,
    reference,
    direction: directions[kind],
    operator: 'mtn_ci' as const,
    amount,
    msisdn: refund === null ? telephone : (refund.payment?.msisdn ?? null),
    payee: settings.display_name,
    wallet: WALLET,
    detail,
    by_number: number?.outcome ?? null,
    asks_later: true,
    fails_short: true,
  }
  return { meant, number, ...(unverified === undefined ? {} : { unverified }) }
}

function read({ settings, time, operations }: Parts, kind: Kind, reference: string, request: TwinRequest): TwinAnswer {
  const operation = operations.read(request, { api: 'mtn', kind, reference: reference.toLowerCase() })
  if (operation === null) return said('RESOURCE_NOT_FOUND')
  const full = operation.state === 'failed' && endingWord(operation) === 'PAYEE_LIMIT_REACHED'
  const unverified = full ? { unverified: 'The word of this reason.' } : {}
  return { status: 200, body: bodyOf(operation, settings, time.now()), ...unverified }
}

function notify({ operations }: Parts, reference: string, body: Buffer): TwinAnswer {
  if (!isNotification(body)) return badRequest(`notificationMessage has 1 to ${NOTIFICATION_MAX} characters.`)
  const operation = operations.find({ api: 'mtn', kind: 'requesttopay', reference: reference.toLowerCase() })
  if (operation === null) return said('RESOURCE_NOT_FOUND')
  const unverified = 'How a message about a payment that has not succeeded is answered.'
  return operation.state === 'succeeded' ? { status: 200 } : { ...badRequest('Not completed.'), unverified }
}

function balance({ settings, operations }: Parts, asked: string | undefined): TwinAnswer {
  const currency = currencyOf(settings)
  if (asked !== undefined && asked !== currency) return said('INVALID_CURRENCY')
  return {
    status: 200,
    body: { availableBalance: String(operations.held(WALLET)), currency },
    unverified: 'Whether both products have one wallet in this country.',
  }
}

function isNotification(body: Buffer): boolean {
  try {
    const { notificationMessage: said } = JSON.parse(body.toString('utf8')) as { notificationMessage?: unknown }
    return typeof said === 'string' && said !== '' && said.length <= NOTIFICATION_MAX
  } catch {
    return false
  }
}

/** Where the callback goes; undefined: nowhere. Null: not to the host that the user was made for. */
function addressIn(header: string | string[] | undefined, host: string): string | undefined | null {
  if (header === undefined) return undefined
  const url = URL.parse(String(header))
  if (url === null || (host !== '' && url.hostname !== host)) return null
  return url.href
}
