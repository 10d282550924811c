import { createHash, randomBytes } from 'node:crypto'
import type { ApiContext } from '../api.ts'
import { type Call, findCall } from '../call-table.ts'
import type { Order } from '../operations.ts'
import { keyOf, type Operation } from '../state.ts'
import type { TwinAnswer, TwinRequest } from '../wire.ts'
import { type BodyRefusal, type PayoutOrder, readBody, readPayout, readSession, type SessionOrder } from './orders.ts'
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

/** A permission of a key. */
type Permission = keyof Settings['permissions']

/** A call of the API. `needs`: the permission of the key. */
type KeyCall = Call<Parts> & { readonly needs: Permission }

const checkout = { needs: 'checkout' } as const
const payout = { needs: 'payout' } as const
const balance = { needs: 'balance' } as const

const calls: readonly KeyCall[] = [
  { ...checkout, method: 'POST', path: 'checkout/sessions', answer: postSession },
  { ...checkout, method: 'GET', path: 'checkout/sessions', answer: sessionOfTransaction },
  {
    ...{ ...checkout, method: 'GET', path: 'checkout/sessions/search' },
    answer: (parts, request) => {
      return { status: 200, body: { result: search(parts, 'session', request).map((one) => bodyOf(parts, one)) } }
    },
  },
  {
    ...{ ...checkout, method: 'GET', path: 'checkout/sessions/{id}' },
    answer: (parts, request, [id = '']) => {
      const found = read(parts, 'session', id, request)
      return found === null ? notFound(parts) : { status: 200, body: bodyOf(parts, found) }
    },
  },
  {
    ...{ ...checkout, method: 'POST', path: 'checkout/sessions/{id}/expire' },
    answer: (parts, _, [id = '']) => {
      const session = byId(parts, 'session', id)
      return session === null ? notFound(parts) : expire(parts, session)
    },
  },
  {
    ...{ ...checkout, method: 'POST', path: 'checkout/sessions/{id}/refund' },
    answer: (parts, request, [id = '']) => {
      const session = byId(parts, 'session', id)
      return session === null ? notFound(parts) : refund(parts, request, session)
    },
  },
  { ...payout, method: 'POST', path: 'payout', answer: pay },
  {
    ...{ ...payout, method: 'GET', path: 'payout/{id}' },
    answer: (parts, request, [id = '']) => {
      const found = read(parts, 'payout', id, request)
      return found === null ? notFound(parts) : { status: 200, body: payoutBody(found, parts.time.text) }
    },
  },
  {
    ...{ ...payout, method: 'GET', path: 'payouts/search' },
    answer: (parts, request) => {
      const found = search(parts, 'payout', request).map((one) => payoutBody(one, parts.time.text))
      return { status: 200, body: { result: found } }
    },
  },
  { ...payout, method: 'POST', path: 'verify_recipient', answer: verify },
  {
    ...{ ...balance, method: 'GET', path: 'balance' },
    answer: ({ operations }) => {
      return { status: 200, body: { amount: String(operations.held(WALLET)), currency: 'XOF' } }
    },
  },
  { ...balance, method: 'GET', path: 'transactions', answer: (parts, request) => listTransactions(request, parts) },
]

/** Answers the calls of the API: the key first, then what it may do, then the path. */
export function callsOf(parts: Parts): (request: TwinRequest) => Promise<TwinAnswer> {
  return async (request) => {
    const [, first, id] = request.path.split('/')
    if (request.method === 'GET' && first === 'c' && id !== undefined) return launch(parts, id)
    return refusedAccess(parts, request) ?? (await answerAllowed(parts, request))
  }
}

async function answerAllowed(parts: Parts, request: TwinRequest): Promise<TwinAnswer> {
  const { settings } = parts
  const [, version, ...path] = request.path.replace(/\/$/, '').split('/')
  if (version !== 'v1') return notFound(parts)
  const found = findCall(calls, request.method, path)
  const needs = found?.row.needs ?? permissionOf(path)
  if (needs !== null && !settings.permissions[needs]) return refuse(settings, 'missing-permission')
  return found === null ? notFound(parts) : await found.row.answer(parts, request, found.values)
}

/** The permission that even an unknown path of sessions or payouts needs. Null: none. */
function permissionOf([noun = '', second]: readonly string[]): Permission | null {
  if (noun === 'checkout' && second === 'sessions') return 'checkout'
  return /^payouts?$/.test(noun) ? 'payout' : null
}

const refuse = (settings: Settings, code: string, message?: string): TwinAnswer => refused(settings, code, message)
const refuseBody = (settings: Settings, { code, message }: BodyRefusal): TwinAnswer => refuse(settings, code, message)
const notFound = ({ settings }: Parts): TwinAnswer => refuse(settings, 'not-found')

function own({ operations }: Parts, kind: Kind): Operation[] {
  return operations.all().filter((one) => one.api === 'wave' && kindOf(one.kind) === kind)
}

function byId(parts: Parts, kind: Kind, id: string): Operation | null {
  return own(parts, kind).find(({ detail }) => detail.id === id) ?? null
}

function bodyOf({ settings, time, url }: Parts, session: Operation) {
  return sessionBody(session, settings, { now: time.now(), text: time.text, url: url() })
}

function refusedAccess({ settings, time }: Parts, request: TwinRequest): TwinAnswer | null {
  const { authorization } = request.headers
  if (authorization === undefined) return refuse(settings, 'missing-auth-header')
  if (!/^Bearer \S+$/.test(authorization)) return refuse(settings, 'api-key-not-provided')
  if (authorization !== `Bearer ${settings.api_key}`) return refuse(settings, 'no-matching-api-key')
  if (settings.request_signing_secret === '') return null
  if (isSignedRequest(request, settings, signatureTime(settings, time))) return null
  return { ...refuse(settings, 'invalid-auth'), unverified: 'How a call without its signature is answered.' }
}

/** Several orders may have one reference: the later ones are of the kind `session-2`, `session-3`. */
function freeKind({ operations }: Parts, kind: Kind, reference: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? kind : `${kind}-${number}`
    if (operations.find({ api: 'wave', kind: name, reference }) === null) return name
  }
}

const common = { api: 'wave', operator: 'wave_ci' as const, wallet: WALLET }

async function postSession(parts: Parts, request: TwinRequest): Promise<TwinAnswer> {
  const { settings } = parts
  const body = readBody(request.body)
  if ('code' in body) return refuseBody(settings, body)
  const order = readSession(body.fields)
  return 'code' in order ? refuseBody(settings, order) : await makeSession(parts, request, order)
}

function sessionOfTransaction(parts: Parts, { query }: TwinRequest): TwinAnswer {
  const asked = query.get('transaction_id')
  const found = own(parts, 'session').find(
    (one) => one.state === 'succeeded' && transactionOf(one.transaction) === asked,
  )
  return found === undefined ? notFound(parts) : { status: 200, body: bodyOf(parts, found) }
}

async function makeSession(parts: Parts, request: TwinRequest, read: SessionOrder): Promise<TwinAnswer> {
  const { settings, time, operations, opened } = parts
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
    kind: freeKind(parts, 'session', reference),
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
  if (submitted.kind === 'refused') return refuse(settings, orderCode(submitted.reason))
  const { operation } = submitted
  // Both times are stated to the second, and must not fall into different ones.
  sessionDetail(operation).expires_at = operation.created_at + settings.session_seconds * 1000
  if (operations.byKey(keyOf(operation)) === operation) opened(operation)
  if (number?.answer_lost === true) loseAnswer(request)
  return { status: 200, body: bodyOf(parts, operation) }
}

async function refund({ settings, operations }: Parts, request: TwinRequest, session: Operation): Promise<TwinAnswer> {
  if (session.state !== 'succeeded') return refuse(settings, 'checkout-refund-failed')
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
  if (submitted.kind === 'refused') return refuse(settings, orderCode(submitted.reason))
  return { status: 200, unverified: 'Whether the fee of the payment comes back.' }
}

function expire({ settings, time, operations }: Parts, session: Operation): TwinAnswer {
  const detail = sessionDetail(session)
  const { checkout_status } = statusesOf(session, settings, time.now())
  if (checkout_status !== 'open') return refuse(settings, 'checkout-session-not-open')
  detail.expires_at = time.now()
  operations.fail(session, 'payer_timeout')
  return { status: 200 }
}

async function pay(parts: Parts, request: TwinRequest): Promise<TwinAnswer> {
  const { settings, time, operations } = parts
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string' || key === '')
    return refuse(settings, 'request-validation-error', 'Idempotency-Key is required.')
  const body = readBody(request.body)
  if ('code' in body) return refuseBody(settings, body)
  const read = readPayout(body.fields)
  if ('code' in read) return refuseBody(settings, read)
  const used = usedKey(parts, key)
  const known = used === null ? null : operations.byKey(used.operation)
  const digest = digestOf(request.body)
  if (known !== null && used!.digest !== digest) return refuse(settings, 'idempotency-mismatch')
  const number = outcomeByNumber('payout', read.mobile)
  const submitted = await operations.submit(request, payoutOrder(parts, key, read, known))
  if (submitted.kind === 'refused') {
    const nobody = submitted.reason === 'recipient_not_found'
    return { ...refuse(settings, orderCode(submitted.reason)), ...(nobody ? { unverified: NOBODY } : {}) }
  }
  const { operation } = submitted
  if (operations.byKey(keyOf(operation)) === operation) {
    if (known === null) parts.memory.keys[key] = { digest, operation: keyOf(operation), at: time.now() }
    payAtOnce(parts, operation)
  }
  if (number?.answer_lost === true) loseAnswer(request)
  return {
    status: 200,
    body: payoutBody(operation, time.text),
    unverified: 'For how long an Idempotency-Key is remembered.',
  }
}

/** The use of a key that is still remembered. Null: the key is new. */
function usedKey({ settings, memory, time }: Parts, key: string): UsedKey | null {
  const used = memory.keys[key]
  return used !== undefined && time.now() - used.at <= settings.key_seconds * 1000 ? used : null
}

/** @param known the payout of an earlier call with this key */
function payoutOrder(parts: Parts, key: string, read: PayoutOrder, known: Operation | null): Order {
  const { settings } = parts
  const { amount, mobile, ...fields } = read
  const detail: PayoutDetail = { id: newId('pt'), ...fields }
  const reference = read.client_reference ?? key
  return {
    ...common,
    kind: known?.kind ?? freeKind(parts, 'payout', reference),
    reference,
    direction: 'payout',
    amount,
    fee: feeOf(amount, settings.payout_fee_percent),
    msisdn: mobile,
    payee: settings.business_name,
    detail,
    by_number: outcomeByNumber('payout', mobile)?.outcome ?? null,
  }
}

function payAtOnce({ settings, operations }: Parts, operation: Operation): void {
  const { outcome, after_seconds } = operation.outcome
  if (settings.payouts_at_once && outcome === 'succeed' && after_seconds === undefined) operations.succeed(operation)
}

/** Finds the orders under a client reference, the newest last; one that is too new for the search is left out. */
function search(parts: Parts, kind: Kind, request: TwinRequest): readonly Operation[] {
  const { settings, time, operations } = parts
  const reference = request.query.get('client_reference') ?? ''
  const seen = operations.read(request, { api: 'wave', kind, reference })
  const until = time.now() - settings.search_lag_seconds * 1000
  return seen === null ? [] : own(parts, kind).filter((one) => one.reference === reference && one.created_at <= until)
}

function read(parts: Parts, kind: Kind, id: string, request: TwinRequest): Operation | null {
  const operation = byId(parts, kind, id)
  return operation === null ? null : parts.operations.read(request, operation)
}

function verify({ settings, memory, time, phones }: Parts, { body }: TwinRequest): TwinAnswer {
  const asked = readBody(body)
  if ('code' in asked) return refuseBody(settings, asked)
  return verifyRecipient(asked.fields, { settings, time, phones, checks: memory.checks })
}

/** The link of a session: it leads to the payer's page, and opens it once more after a try that failed. */
function launch(parts: Parts, id: string): TwinAnswer {
  const { time, operations, url, opened } = parts
  const session = byId(parts, 'session', id)
  if (session === null) return { status: 404, body: 'No such session.' }
  if (session.state === 'failed' && time.now() < sessionDetail(session).expires_at) {
    session.msisdn = sessionDetail(session).only_payer ?? null
    operations.reopen(session)
    opened(session)
  }
  const operation = encodeURIComponent(keyOf(session))
  return { status: 303, headers: { Location: `${url()}/phones/pay?operation=${operation}` } }
}

function digestOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}

function newId(prefix: string): string {
  return `${prefix}-1${randomBytes(6).toString('hex')}`
}

/** The order was carried out, and nobody hears of it. */
function loseAnswer(request: TwinRequest): void {
  request.fault ??= { id: 0, met: 1, used: 1, fault: 'lose_answer', on: 'send', effect: true }
}
