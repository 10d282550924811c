import { randomBytes } from 'node:crypto'
import type { ApiContext } from '../api.ts'
import { type Call, findCall } from '../call-table.ts'
import type { Operation } from '../state.ts'
import type { TwinAnswer, TwinRequest } from '../wire.ts'
import type { accessOf } from './access.ts'
import { type Detail, detailOf, readAnnounced, readFields } from './orders.ts'
import { type Settings, walletOf } from './settings.ts'
import { refusal, refusedAtOnce, statusOf, transactionOf } from './words.ts'

type Parts = Pick<ApiContext, 'operations' | 'url'> & {
  settings: Settings
  access: ReturnType<typeof accessOf>
  /** An order was taken. `told`: the answer that holds its page's address goes out as it should. */
  taken: (operation: Operation, told: boolean) => void
}

/** Answers that do not reach whoever asked, or too late: nobody learns the page's address from them. */
const untold = new Set<string>(['lose_answer', 'say_500', 'say_html', 'late_answer', 'slow_bytes'])

const unknownPath: TwinAnswer = refusal('60', 'How an unknown path is answered.')

const calls: readonly Call<Parts>[] = [
  { method: 'POST', path: 'oauth/v3/token', answer: ({ access }, request) => access.issue(request) },
  { method: 'POST', path: 'oauth/v2/token', answer: ({ access }, request) => access.issue(request) },
  { method: 'POST', path: 'orange-money-webpay/{country}/v1/webpayment', answer: withToken(announce) },
  { method: 'POST', path: 'orange-money-webpay/{country}/v1/transactionstatus', answer: withToken(read) },
]

/** Answers the calls of the API: the token first, then the path. */
export function callsOf(parts: Parts): (request: TwinRequest) => Promise<TwinAnswer> {
  return async (request) => {
    const found = findCall(calls, request.method, request.path.split('/').slice(1))
    return found === null ? unknownPath : await found.row.answer(parts, request, found.values)
  }
}

/** A call to the path of one country, with a token of that country. */
function withToken(answer: Call<Parts>['answer']): Call<Parts>['answer'] {
  return (parts, request, [country = '']) => {
    if (!/^[a-z]{2,3}$/.test(country)) return unknownPath
    return parts.access.refused(request, country) ?? answer(parts, request, [])
  }
}

async function announce({ settings, operations, url, taken }: Parts, request: TwinRequest): Promise<TwinAnswer> {
  const read = readAnnounced(request.body, settings)
  if ('status' in read) return read
  const { order_id, amount, payee, ...addresses } = read
  const detail: Detail = {
    ...addresses,
    pay_token: randomBytes(32).toString('hex'),
    notif_token: randomBytes(16).toString('hex'),
  }
  const submitted = await operations.submit(request, {
    api: 'orange',
    kind: 'webpayment',
    reference: order_id,
    direction: 'collection',
    operator: 'orange_ci',
    amount,
    msisdn: null,
    payee,
    wallet: walletOf(settings),
    detail,
    // A script that pays by itself stands for a payer, who needs the page's address.
    queued: true,
  })
  if (submitted.kind === 'duplicate') return refusal('1204')
  if (submitted.kind === 'refused') return refusedAtOnce(submitted.reason)
  taken(submitted.operation, !untold.has(request.fault?.fault ?? ''))
  const { pay_token, notif_token } = detail
  const payment_url = `${url()}/orange/pay/${pay_token}`
  const body = { status: 201, message: 'OK', pay_token, payment_url, notif_token }
  return { status: 201, body, unverified: 'For how long the page lives.' }
}

function read({ settings, operations }: Parts, request: TwinRequest): TwinAnswer {
  const fields = readFields(request.body)
  if (fields === null) return refusal('22')
  const { order_id, amount, pay_token } = fields
  if (typeof order_id !== 'string' || typeof pay_token !== 'string') return refusal('23')
  if (typeof amount !== 'number') return refusal('24')
  const operation = operations.read(request, { api: 'orange', kind: 'webpayment', reference: order_id })
  const agrees = operation !== null && operation.amount === amount && detailOf(operation).pay_token === pay_token
  if (!agrees) return refusal('60', 'How a question is answered whose order, amount and token do not agree.')
  return {
    status: settings.status_http,
    body: { status: statusOf(operation), order_id, txnid: transactionOf(operation) },
  }
}
