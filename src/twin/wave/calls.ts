import { createHash, randomBytes } from 'node:crypto'
import type { ApiContext } from '../api.ts'
import type { Order } from '../operations.ts'
import { keyOf, type Operation } from '../state.ts'
import type { TwinAnswer, TwinRequest } from '../wire.ts'
import { type BodyRefusal, readBody, readPayout, readSession, type SessionOrder } from './orders.ts'
import { type PayoutDetail, payoutBody, type UsedKey } from './payouts.ts'
import { type Checks, verifyRecipient } from './recipients.ts'
import { type SessionDetail, sessionBody, sessionDetail, statusesOf, transactionOf } from './sessions.ts'
import { feeOf, type Kind, kindOf, type Settings, signatureTime, WALLET } from './settings.ts'
import { isSignedRequest } from './signatures.ts'
import { outcomeByNumber } from './test-numbers.ts'
import { listTransactions } from './transactions.ts'
import { orderCode, refused } from './words.ts'

export type Memory = { keys: Record<string, UsedKey>; checks: Checks }

const NOBODY = 'Whether a number without a wallet is answered so.'

type Parts = Pick<ApiContext, 'time' | 'phones' | 'operations' | 'url'> & {
  settings: Settings
  memory: Memory
  /** A session was made: its payer may be asked, and its end comes by itself. */
  opened: (session: Operation) => void
}

/** Answers the calls of the API: the key first, then what it may do, then the path. */
export function callsOf({ settings, memory, time, phones, operations, url, opened }: Parts) {
  const refuse = (code: string, message?: string): TwinAnswer => refused(settings, code, message)
  const refuseBody = ({ code, message }: BodyRefusal): TwinAnswer => refuse(code, message)
  const own = (kind: Kind): Operation[] =>
    operations.all().filter((one) => one.api === 'wave' && kindOf(one.kind) === kind)
  const byId = (kind: Kind, id: string): Operation | null => own(kind).find(({ detail }) => detail.id === id) ?? null
  const bodyOf = (session: Operation) =>
    sessionBody(session, settings, { now: time.now(), text: time.text, url: url() })

  function refusedAccess(request: TwinRequest): TwinAnswer | null {
    const { authorization } = request.headers
    if (authorization === undefined) return refuse('missing-auth-header')
    if (!/^Bearer \S+$/.test(authorization)) return refuse('api-key-not-provided')
    if (authorization !== `Bearer ${settings.api_key}`) return refuse('no-matching-api-key')
    if (settings.request_signing_secret === '') return null
    if (isSignedRequest(request, settings, signatureTime(settings, time))) return null
    return { ...refuse('invalid-auth'), unverified: 'How a call without its signature is answered.' }
  }

  /** Several orders may have one reference: the later ones are of the kind `session-2`, `session-3`. */
  function freeKind(kind: Kind, reference: string): string {
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? kind : `${kind}-${number}`
      if (operations.find({ api: 'wave', kind: name, reference }) === null) return name
    }
  }

  const common = { api: 'wave', operator: 'wave_ci' as const, wallet: WALLET }

  async function makeSession(request: TwinRequest, read: SessionOrder): Promise<TwinAnswer> {
    const { amount, ...fields } = read
    const detail: SessionDetail = {
      id: newId('cos'),
      ...fields,
      expires_at: time.now() + settings.session_seconds * 1000,
      last_error: null,
      tried: false,
    }
    const reference = read.client_reference ?? detail.id
    const number = read.only_payer === undefined ? null : outcomeByNumber('session', read.only_payer)
    const submitted = await operations.submit(request, {
      ...common,
      kind: freeKind('session', reference),
      reference,
      direction: 'collection',
      amount,
      fee: feeOf(amount, settings.collection_fee_percent),
      msisdn: read.only_payer ?? null,
      payee: settings.business_name,
      detail,
      by_number: number?.outcome ?? null,
      asks_later: true,
    })
    if (submitted.kind === 'refused') return refuse(orderCode(submitted.reason))
    const { operation } = submitted
    // Both times are stated to the second, and must not fall into different ones.
    sessionDetail(operation).expires_at = operation.created_at + settings.session_seconds * 1000
    if (operations.byKey(keyOf(operation)) === operation) opened(operation)
    if (number?.answer_lost === true) loseAnswer(request)
    return { status: 200, body: bodyOf(operation) }
  }

  async function refund(request: TwinRequest, session: Operation): Promise<TwinAnswer> {
    if (session.state !== 'succeeded') return refuse('checkout-refund-failed')
    const { reference, amount, msisdn, detail, kind } = session
    const submitted = await operations.submit(request, {
      ...common,
      kind: kind.replace('session', 'refund'),
      reference,
      direction: 'refund',
      amount,
      msisdn,
      payee: settings.business_name,
      detail,
    })
    if (submitted.kind === 'refused') return refuse(orderCode(submitted.reason))
    return { status: 200, unverified: 'Whether the fee of the payment comes back.' }
  }

  function expire(session: Operation): TwinAnswer {
    const detail = sessionDetail(session)
    const { checkout_status } = statusesOf(session, settings, time.now())
    if (checkout_status !== 'open') return refuse('checkout-session-not-open')
    detail.expires_at = time.now()
    operations.fail(session, 'payer_timeout')
    return { status: 200 }
  }

  async function pay(request: TwinRequest): Promise<TwinAnswer> {
    const key = request.headers['idempotency-key']
    if (typeof key !== 'string' || key === '') return refuse('request-validation-error', 'Idempotency-Key is required.')
    const body = readBody(request.body)
    if ('code' in body) return refuseBody(body)
    const read = readPayout(body.fields)
    if ('code' in read) return refuseBody(read)
    const digest = createHash('sha256').update(request.body).digest('hex')
    const used = memory.keys[key]
    const remembered = used !== undefined && time.now() - used.at <= settings.key_seconds * 1000
    const known = remembered ? operations.byKey(used.operation) : null
    if (known !== null && used!.digest !== digest) return refuse('idempotency-mismatch')
    const { amount, mobile, ...fields } = read
    const detail: PayoutDetail = { id: newId('pt'), ...fields }
    const reference = read.client_reference ?? key
    const number = outcomeByNumber('payout', mobile)
    const order: Order = {
      ...common,
      kind: known?.kind ?? freeKind('payout', reference),
      reference,
      direction: 'payout',
      amount,
      fee: feeOf(amount, settings.payout_fee_percent),
      msisdn: mobile,
      payee: settings.business_name,
      detail,
      by_number: number?.outcome ?? null,
    }
    const submitted = await operations.submit(request, order)
    if (submitted.kind === 'refused') {
      const nobody = submitted.reason === 'recipient_not_found'
      return { ...refuse(orderCode(submitted.reason)), ...(nobody ? { unverified: NOBODY } : {}) }
    }
    const { operation } = submitted
    if (operations.byKey(keyOf(operation)) === operation) {
      if (known === null) memory.keys[key] = { digest, operation: keyOf(operation), at: time.now() }
      const { outcome, after_seconds } = operation.outcome
      if (settings.payouts_at_once && outcome === 'succeed' && after_seconds === undefined)
        operations.succeed(operation)
    }
    if (number?.answer_lost === true) loseAnswer(request)
    return {
      status: 200,
      body: payoutBody(operation, time.text),
      unverified: 'For how long an Idempotency-Key is remembered.',
    }
  }

  /** Finds the orders under a client reference, the newest last; one that is too new for the search is left out. */
  function search(kind: Kind, request: TwinRequest): readonly Operation[] {
    const reference = request.query.get('client_reference') ?? ''
    const seen = operations.read(request, { api: 'wave', kind, reference })
    const until = time.now() - settings.search_lag_seconds * 1000
    return seen === null ? [] : own(kind).filter((one) => one.reference === reference && one.created_at <= until)
  }

  function read(kind: Kind, id: string, request: TwinRequest): Operation | null {
    const operation = byId(kind, id)
    return operation === null ? null : operations.read(request, operation)
  }

  async function checkout(request: TwinRequest, [id, act, ...more]: readonly string[]): Promise<TwinAnswer> {
    const { method, query } = request
    if (more.length > 0) return refuse('not-found')
    if (method === 'POST' && id === undefined) {
      const body = readBody(request.body)
      if ('code' in body) return refuseBody(body)
      const order = readSession(body.fields)
      return 'code' in order ? refuseBody(order) : await makeSession(request, order)
    }
    if (method === 'GET' && id === undefined) {
      const asked = query.get('transaction_id')
      const found = own('session').find((one) => one.state === 'succeeded' && transactionOf(one.transaction) === asked)
      return found === undefined ? refuse('not-found') : { status: 200, body: bodyOf(found) }
    }
    if (method === 'GET' && id === 'search' && act === undefined)
      return { status: 200, body: { result: search('session', request).map(bodyOf) } }
    if (method === 'GET' && act === undefined) {
      const found = read('session', id!, request)
      return found === null ? refuse('not-found') : { status: 200, body: bodyOf(found) }
    }
    const session = byId('session', id ?? '')
    if (method !== 'POST' || session === null) return refuse('not-found')
    if (act === 'expire') return expire(session)
    return act === 'refund' ? await refund(request, session) : refuse('not-found')
  }

  async function answerPayouts(request: TwinRequest, noun: string, [id, more]: readonly string[]): Promise<TwinAnswer> {
    const { method } = request
    if (noun === 'payout' && method === 'POST' && id === undefined) return await pay(request)
    if (method !== 'GET' || id === undefined || more !== undefined) return refuse('not-found')
    if (noun !== 'payout' && id === 'search')
      return { status: 200, body: { result: search('payout', request).map((one) => payoutBody(one, time.text)) } }
    const found = noun === 'payout' ? read('payout', id, request) : null
    return found === null ? refuse('not-found') : { status: 200, body: payoutBody(found, time.text) }
  }

  function verify({ body }: TwinRequest): TwinAnswer {
    const asked = readBody(body)
    if ('code' in asked) return refuseBody(asked)
    return verifyRecipient(asked.fields, { settings, time, phones, checks: memory.checks })
  }

  async function answerAllowed(request: TwinRequest): Promise<TwinAnswer> {
    const { permissions } = settings
    const [, version, noun = '', ...rest] = request.path.replace(/\/$/, '').split('/')
    const line = `${request.method} ${[noun, ...rest].join('/')}`
    if (version !== 'v1') return refuse('not-found')
    if (noun === 'checkout' && rest[0] === 'sessions')
      return permissions.checkout ? await checkout(request, rest.slice(1)) : refuse('missing-permission')
    if (/^payouts?$/.test(noun))
      return permissions.payout ? await answerPayouts(request, noun, rest) : refuse('missing-permission')
    if (line === 'POST verify_recipient') return permissions.payout ? verify(request) : refuse('missing-permission')
    if (!permissions.balance && ['GET balance', 'GET transactions'].includes(line)) return refuse('missing-permission')
    if (line === 'GET balance')
      return { status: 200, body: { amount: String(operations.held(WALLET)), currency: 'XOF' } }
    if (line === 'GET transactions') return listTransactions(request, { settings, time, operations })
    return refuse('not-found')
  }

  /** The link of a session: it leads to the payer's page, and opens it once more after a try that failed. */
  function launch(id: string): TwinAnswer {
    const session = byId('session', id)
    if (session === null) return { status: 404, body: 'No such session.' }
    if (session.state === 'failed' && time.now() < sessionDetail(session).expires_at) {
      session.msisdn = sessionDetail(session).only_payer ?? null
      operations.reopen(session)
      opened(session)
    }
    const operation = encodeURIComponent(keyOf(session))
    return { status: 303, headers: { Location: `${url()}/phones/pay?operation=${operation}` } }
  }

  return async function answer(request: TwinRequest): Promise<TwinAnswer> {
    const [, first, id] = request.path.split('/')
    if (request.method === 'GET' && first === 'c' && id !== undefined) return launch(id)
    return refusedAccess(request) ?? (await answerAllowed(request))
  }
}

function newId(prefix: string): string {
  return `${prefix}-1${randomBytes(6).toString('hex')}`
}

/** The order was carried out, and nobody hears of it. */
function loseAnswer(request: TwinRequest): void {
  request.fault ??= { id: 0, met: 1, used: 1, fault: 'lose_answer', on: 'send', effect: true }
}
