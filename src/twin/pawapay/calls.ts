import type { ApiContext } from '../api.ts'
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
}

const directions = { deposit: 'collection', payout: 'payout', refund: 'refund' } as const
const kinds: Readonly<Record<string, Kind>> = { deposits: 'deposit', payouts: 'payout', refunds: 'refund' }

/** Payouts in one call; the sheet of the API says that more may be refused. */
const BULK_MAX = 20

/** Answers the calls of the API: the token first, then the signature of an order, then the path. */
export function callsOf({ settings, time, operations, published, redirected }: Parts) {
  function refusedAccess({ headers }: TwinRequest): TwinAnswer | null {
    const { authorization } = headers
    if (authorization === undefined) return rejected('NO_AUTHENTICATION')
    if (authorization === `Bearer ${settings.api_token}`) return null
    return {
      ...rejected('AUTHENTICATION_ERROR'),
      status: settings.wrong_token_status,
      unverified: 'Whether a wrong token is answered 401 or 403.',
    }
  }

  function refusedSignature(request: TwinRequest): TwinAnswer | null {
    const signed = request.headers.signature !== undefined
    if (!signed && !settings.signed_requests_only) return null
    const why = signatureRefusal(request, settings.request_public_keys, signatureTime(settings, time))
    // An account that was given no keys does not look at signatures that it did not ask for.
    const looks = settings.signed_requests_only || Object.keys(settings.request_public_keys).length > 0
    return why === null || !looks ? null : rejected('HTTP_SIGNATURE_ERROR', {}, why)
  }

  async function order(kind: Kind, body: unknown, request: TwinRequest): Promise<TwinAnswer> {
    if (!settings[`${kind}s_allowed`]) return rejected(`${kind.toUpperCase()}S_NOT_ALLOWED`)
    const read = readOrder(kind, body, settings)
    const named = (body as Record<string, unknown> | null)?.[idField[kind]]
    const id = typeof named === 'string' ? { [idField[kind]]: named } : {}
    if ('code' in read) return reusable(rejected(read.code, id, read.message))
    const known = operations.find({ api: 'pawapay', kind, reference: read.id })
    const meant = known === null ? meantBy(kind, read) : { order: known }
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
  function meantBy(kind: Kind, read: OrderBody): { order: Order } | { code: string; unverified?: string } {
    if (kind === 'refund') return refundMeantBy(read)
    const provider = read.provider!
    const status = (kind === 'deposit' ? settings.deposit_status : settings.payout_status)[provider]
    if (status === 'CLOSED') return { code: 'PROVIDER_TEMPORARILY_UNAVAILABLE' }
    const redirect = kind === 'deposit' && provider === 'WAVE_CIV'
    const detail: Detail = { ...read.detail, ...(redirect ? { redirect } : {}) }
    return {
      order: {
        ...common(kind, read.id, detail),
        operator: operatorOf[provider],
        amount: read.amount!,
        msisdn: read.msisdn,
        by_number: outcomeByNumber(kind, read.msisdn),
        queued: kind === 'payout' && status === 'DELAYED',
        asks_later: redirect,
      },
    }
  }

  function refundMeantBy({ id, amount, detail }: OrderBody): { order: Order } | { code: string; unverified?: string } {
    const deposit = operations.find({ api: 'pawapay', kind: 'deposit', reference: detail.deposit_id! })
    const refunds = operations
      .all()
      .filter((one) => one.api === 'pawapay' && one.kind === 'refund' && detailOf(one).deposit_id === detail.deposit_id)
    const terms = refundTerms(deposit, refunds, amount)
    if ('code' in terms) return terms
    const { operator, msisdn } = deposit!
    const provider = detailOf(deposit!).provider as Provider
    return { order: { ...common('refund', id, { ...detail, provider }), operator, msisdn, amount: terms.amount } }
  }

  const common = (kind: Kind, reference: string, detail: Detail) => ({
    api: 'pawapay',
    kind,
    reference,
    direction: directions[kind],
    payee: settings.display_name,
    wallet: WALLET,
    detail,
  })

  function read(kind: Kind, reference: string, request: TwinRequest): TwinAnswer {
    const operation = operations.read(request, { api: 'pawapay', kind, reference })
    if (operation === null) return { status: 200, body: { status: 'NOT_FOUND' } }
    return { status: 200, body: { status: 'FOUND', data: dataOf(operation, time.text, time.now()) } }
  }

  function failEnqueued(reference: string): TwinAnswer {
    const unverified = 'Whether the method is POST or GET.'
    const payout = operations.find({ api: 'pawapay', kind: 'payout', reference })
    const id = { payoutId: reference }
    if (payout === null) return { ...rejected('NOT_FOUND', id), unverified }
    if (payout.state !== 'queued') return { ...rejected('INVALID_STATE', id), unverified }
    operations.fail(payout, 'cancelled')
    return { status: 200, body: { ...id, status: 'ACCEPTED' }, unverified }
  }

  function resend(kind: Kind, reference: string, sendCallback: (operation: Operation) => void): TwinAnswer {
    const operation = operations.find({ api: 'pawapay', kind, reference })
    const id = { [idField[kind]]: reference }
    if (operation === null) return rejected('NOT_FOUND', id)
    if (operation.state !== 'succeeded' && operation.state !== 'failed') return rejected('INVALID_STATE', id)
    sendCallback(operation)
    return { status: 200, body: { ...id, status: 'ACCEPTED' } }
  }

  async function bulk(body: unknown, request: TwinRequest): Promise<TwinAnswer> {
    if (!Array.isArray(body)) return rejected('INVALID_INPUT', {}, 'The body is a list of payouts.')
    if (body.length > BULK_MAX)
      return { ...rejected('INVALID_INPUT', {}, `At most ${BULK_MAX} payouts.`), unverified: 'The bound of a list.' }
    if (!settings.payouts_allowed) return rejected('PAYOUTS_NOT_ALLOWED')
    const answers: TwinAnswer[] = []
    for (const one of body as unknown[]) answers.push(await order('payout', one, request))
    const unverified = [...new Set(answers.flatMap((one) => one.unverified ?? []))].join(' ')
    return {
      status: 200,
      body: answers.map((one) => one.body as object),
      ...(unverified === '' ? {} : { unverified }),
    }
  }

  return async function answer(
    request: TwinRequest,
    sendCallback: (operation: Operation) => void,
  ): Promise<TwinAnswer> {
    const refused = refusedAccess(request)
    if (refused !== null) return refused
    const { method, path, query } = request
    const [, version = '', noun = '', ...rest] = path.split('/')
    const line = `${method} ${noun}${rest.map((part, at) => (at === rest.length - 1 && isId(part) ? '/{id}' : `/${part}`)).join('')}`
    const id = rest.at(-1) ?? ''
    const kind = kinds[noun]
    if (version !== 'v2') return unknownPath
    if (method === 'POST' && kind !== undefined && (rest.length === 0 || rest[0] === 'bulk')) {
      const unsigned = refusedSignature(request)
      if (unsigned !== null) return unsigned
      const body = parse(request.body)
      if (body === undefined) return rejected('INVALID_INPUT', {}, 'The body is not JSON.')
      if (line === 'POST payouts/bulk') return await bulk(body, request)
      if (rest.length === 0) return await order(kind, body, request)
    }
    if (kind !== undefined && method === 'GET' && rest.length === 1) return read(kind, id, request)
    if (kind !== undefined && line === `POST ${noun}/resend-callback/{id}`) return resend(kind, id, sendCallback)
    switch (line) {
      case 'POST payouts/fail-enqueued/{id}':
        return failEnqueued(id)
      case 'GET active-conf':
        return activeConf({ settings, query })
      case 'GET availability':
        return availability({ settings, query })
      case 'POST predict-provider':
        return predictProvider(parse(request.body))
      case 'GET wallet-balances':
        return walletBalances(query, operations.held(WALLET))
      case 'GET public-key/http':
        return { status: 200, body: published().map(({ id: key_id, public_key }) => ({ id: key_id, key: public_key })) }
      default:
        return unknownPath
    }
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
