import type { ApiContext } from '../api.ts'
import { type Call, findCall } from '../call-table.ts'
import type { Order } from '../operations.ts'
import type { Operation } from '../state.ts'
import type { TwinAnswer, TwinRequest } from '../wire.ts'
import { type Detail, dataOf, detailOf } from './data.ts'
import { initiationCode, rejected } from './failures.ts'
import { type OrderBody, readOrder } from './orders.ts'
import { refundTerms } from './refunds.ts'
import { outcomeByNumber, unverifiedNumber } from './sandbox-numbers.ts'
import { idField, type Kind, operatorOf, type Provider, type Settings, signatureTime, WALLET } from './settings.ts'
import { type SigningKey, signatureRefusal } from './signatures.ts'
import { activeConf, availability, predictProvider, walletBalances } from './toolkit.ts'

type Parts = Pick<ApiContext, 'time' | 'operations' | 'callbacks'> & {
  settings: Settings
  /** The keys with which callbacks are signed, oldest first. */
  published: () => readonly SigningKey[]
  redirected: (deposit: Operation) => void
  sendCallback: (operation: Operation) => void
}

const directions = { deposit: 'collection', payout: 'payout', refund: 'refund' } as const
const kinds: Readonly<Record<string, Kind>> = { deposits: 'deposit', payouts: 'payout', refunds: 'refund' }

/** Payouts in one call; the sheet of the API says that more may be refused. */
const BULK_MAX = 20

/** The calls for the orders of one kind. */
function ordersOf(noun: string, kind: Kind): Call<Parts>[] {
  return [
    { method: 'POST', path: noun, answer: (parts, request) => order(parts, kind, parse(request.body), request) },
    { method: 'GET', path: `${noun}/{id}`, answer: (parts, request, [id = '']) => read(parts, kind, id, request) },
    {
      ...{ method: 'POST', path: `${noun}/resend-callback/{id}` },
      answer: (parts, _, [id = '']) => (isId(id) ? resend(parts, kind, id) : unknownPath),
    },
  ]
}

const calls: readonly Call<Parts>[] = [
  ...Object.entries(kinds).flatMap(([noun, kind]) => ordersOf(noun, kind)),
  { method: 'POST', path: 'payouts/bulk', answer: (parts, request) => bulk(parts, parse(request.body), request) },
  {
    ...{ method: 'POST', path: 'payouts/fail-enqueued/{id}' },
    answer: (parts, _, [id = '']) => (isId(id) ? failEnqueued(parts, id) : unknownPath),
  },
  { method: 'GET', path: 'active-conf', answer: ({ settings }, { query }) => activeConf({ settings, query }) },
  { method: 'GET', path: 'availability', answer: ({ settings }, { query }) => availability({ settings, query }) },
  { method: 'POST', path: 'predict-provider', answer: (_, { body }) => predictProvider(parse(body)) },
  {
    ...{ method: 'GET', path: 'wallet-balances' },
    answer: ({ operations }, { query }) => walletBalances(query, operations.held(WALLET)),
  },
  {
    ...{ method: 'GET', path: 'public-key/http' },
    answer: ({ published }) => ({
      status: 200,
      body: published().map(({ id, public_key }) => ({ id, key: public_key })),
    }),
  },
]

/** Answers the calls of the API: the token first, then the signature of an order, then the path. */
export function callsOf(parts: Parts): (request: TwinRequest) => Promise<TwinAnswer> {
  return async (request) => {
    const refused = refusedAccess(parts, request)
    if (refused !== null) return refused
    const [, version = '', ...path] = request.path.split('/')
    if (version !== 'v2') return unknownPath
    const wrong = isInitiation(request.method, path) ? refusedInitiation(parts, request) : null
    if (wrong !== null) return wrong
    const found = findCall(calls, request.method, path)
    return found === null ? unknownPath : await found.row.answer(parts, request, found.values)
  }
}

/** Whether a call gives orders, or would if its path were right. */
function isInitiation(method: string, [noun = '', ...rest]: readonly string[]): boolean {
  return method === 'POST' && kinds[noun] !== undefined && (rest.length === 0 || rest[0] === 'bulk')
}

function refusedInitiation(parts: Parts, request: TwinRequest): TwinAnswer | null {
  const unsigned = refusedSignature(parts, request)
  if (unsigned !== null) return unsigned
  return parse(request.body) === undefined ? rejected('INVALID_INPUT', {}, 'The body is not JSON.') : null
}

type Meant = { order: Order } | { code: string; unverified?: string }

function refusedAccess({ settings }: Parts, { headers }: TwinRequest): TwinAnswer | null {
  const { authorization } = headers
  if (authorization === undefined) return rejected('NO_AUTHENTICATION')
  if (authorization === `Bearer ${settings.api_token}`) return null
  return {
    ...rejected('AUTHENTICATION_ERROR'),
    status: settings.wrong_token_status,
    unverified: 'Whether a wrong token is answered 401 or 403.',
  }
}

function refusedSignature({ settings, time }: Parts, request: TwinRequest): TwinAnswer | null {
  const signed = request.headers.signature !== undefined
  if (!signed && !settings.signed_requests_only) return null
  const why = signatureRefusal(request, settings.request_public_keys, signatureTime(settings, time))
  // An account that was given no keys does not look at signatures that it did not ask for.
  const looks = settings.signed_requests_only || Object.keys(settings.request_public_keys).length > 0
  return why === null || !looks ? null : rejected('HTTP_SIGNATURE_ERROR', {}, why)
}

async function order(parts: Parts, kind: Kind, body: unknown, request: TwinRequest): Promise<TwinAnswer> {
  const { settings, time, operations, redirected } = parts
  if (!settings[`${kind}s_allowed`]) return rejected(`${kind.toUpperCase()}S_NOT_ALLOWED`)
  const read = readOrder(kind, body, settings)
  const named = (body as Record<string, unknown> | null)?.[idField[kind]]
  const id = typeof named === 'string' ? { [idField[kind]]: named } : {}
  if ('code' in read) return reusable(rejected(read.code, id, read.message))
  const known = operations.find({ api: 'pawapay', kind, reference: read.id })
  const meant = known === null ? meantBy(parts, kind, read) : { order: known }
  if ('code' in meant)
    return reusable({ ...rejected(meant.code, id), ...(meant.unverified ? { unverified: meant.unverified } : {}) })
  const submitted = await operations.submit(request, meant.order)
  if (submitted.kind === 'refused') return reusable(rejected(initiationCode(kind, submitted.reason), id))
  const { operation } = submitted
  const created = time.text(operation.created_at)
  if (submitted.kind === 'duplicate') return { status: 200, body: { ...id, status: 'DUPLICATE_IGNORED', created } }
  const redirect = detailOf(operation).redirect === true
  if (redirect) redirected(operation)
  const unverified = unverifiedOrder(kind, operation)
  return {
    status: 200,
    body: {
      ...id,
      status: 'ACCEPTED',
      ...(kind === 'deposit' ? { nextStep: redirect ? 'GET_AUTH_URL' : 'FINAL_STATUS' } : {}),
      created,
    },
    ...(unverified === undefined ? {} : { unverified }),
  }
}

/** The order for the core, or the code that refuses it. */
function meantBy(parts: Parts, kind: Kind, read: OrderBody): Meant {
  const { settings } = parts
  if (kind === 'refund') return refundMeantBy(parts, read)
  const provider = read.provider!
  const status = (kind === 'deposit' ? settings.deposit_status : settings.payout_status)[provider]
  if (status === 'CLOSED') return { code: 'PROVIDER_TEMPORARILY_UNAVAILABLE' }
  const redirect = kind === 'deposit' && provider === 'WAVE_CIV'
  const detail: Detail = { ...read.detail, ...(redirect ? { redirect } : {}) }
  return {
    order: {
      ...common(settings, kind, read.id, detail),
      operator: operatorOf[provider],
      amount: read.amount!,
      msisdn: read.msisdn,
      by_number: outcomeByNumber(kind, read.msisdn),
      queued: kind === 'payout' && status === 'DELAYED',
      asks_later: redirect,
    },
  }
}

function refundMeantBy({ settings, operations }: Parts, { id, amount, detail }: OrderBody): Meant {
  const deposit = operations.find({ api: 'pawapay', kind: 'deposit', reference: detail.deposit_id! })
  const refunds = operations
    .all()
    .filter((one) => one.api === 'pawapay' && one.kind === 'refund' && detailOf(one).deposit_id === detail.deposit_id)
  const terms = refundTerms(deposit, refunds, amount)
  if ('code' in terms) return terms
  const { operator, msisdn } = deposit!
  const provider = detailOf(deposit!).provider as Provider
  return {
    order: { ...common(settings, 'refund', id, { ...detail, provider }), operator, msisdn, amount: terms.amount },
  }
}

const common = (settings: Settings, kind: Kind, reference: string, detail: Detail) => ({
  api: 'pawapay',
  kind,
  reference,
  direction: directions[kind],
  payee: settings.display_name,
  wallet: WALLET,
  detail,
})

function read({ time, operations }: Parts, kind: Kind, reference: string, request: TwinRequest): TwinAnswer {
  const operation = operations.read(request, { api: 'pawapay', kind, reference })
  if (operation === null) return { status: 200, body: { status: 'NOT_FOUND' } }
  return { status: 200, body: { status: 'FOUND', data: dataOf(operation, time.text, time.now()) } }
}

function failEnqueued({ operations }: Parts, reference: string): TwinAnswer {
  const unverified = 'Whether the method is POST or GET.'
  const payout = operations.find({ api: 'pawapay', kind: 'payout', reference })
  const id = { payoutId: reference }
  if (payout === null) return { ...rejected('NOT_FOUND', id), unverified }
  if (payout.state !== 'queued') return { ...rejected('INVALID_STATE', id), unverified }
  operations.fail(payout, 'cancelled')
  return { status: 200, body: { ...id, status: 'ACCEPTED' }, unverified }
}

function resend({ operations, sendCallback }: Parts, kind: Kind, reference: string): TwinAnswer {
  const operation = operations.find({ api: 'pawapay', kind, reference })
  const id = { [idField[kind]]: reference }
  if (operation === null) return rejected('NOT_FOUND', id)
  if (operation.state !== 'succeeded' && operation.state !== 'failed') return rejected('INVALID_STATE', id)
  sendCallback(operation)
  return { status: 200, body: { ...id, status: 'ACCEPTED' } }
}

async function bulk(parts: Parts, body: unknown, request: TwinRequest): Promise<TwinAnswer> {
  if (!Array.isArray(body)) return rejected('INVALID_INPUT', {}, 'The body is a list of payouts.')
  if (body.length > BULK_MAX)
    return { ...rejected('INVALID_INPUT', {}, `At most ${BULK_MAX} payouts.`), unverified: 'The bound of a list.' }
  if (!parts.settings.payouts_allowed) return rejected('PAYOUTS_NOT_ALLOWED')
  const answers: TwinAnswer[] = []
  for (const one of body as unknown[]) answers.push(await order(parts, 'payout', one, request))
  const unverified = [...new Set(answers.flatMap((one) => one.unverified ?? []))].join(' ')
  return {
    status: 200,
    body: answers.map((one) => one.body as object),
    ...(unverified === '' ? {} : { unverified }),
  }
}

const unknownPath: TwinAnswer = {
  ...rejected('NOT_FOUND', {}, 'The twin has no such call.'),
  status: 404,
  unverified: 'How an unknown path is answered.',
}

const isId = (part: string): boolean => part.length >= 16 && /^[\w-]+$/.test(part)

/** Undefined for what is not JSON. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

/** A refused order leaves nothing behind in the twin. */
function reusable(answer: TwinAnswer): TwinAnswer {
  return { unverified: 'Whether the id of a rejected order may be used again; here it may.', ...answer }
}

function unverifiedOrder(kind: Kind, { msisdn, operator }: Operation): string | undefined {
  if (kind === 'payout' && operator === 'wave_ci') return 'Whether every account may pay out to WAVE_CIV.'
  return unverifiedNumber(kind, msisdn ?? '')
}
