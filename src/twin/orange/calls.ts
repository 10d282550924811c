import { randomBytes } from 'node:crypto'
import type { ApiContext } from '../api.ts'
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

/** Answers the calls of the API: the token first, then the path. */
export function callsOf({ settings, access, operations, url, taken }: Parts) {
  async function announce(request: TwinRequest): Promise<TwinAnswer> {
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

  function read(request: TwinRequest): TwinAnswer {
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

  return async function answer(request: TwinRequest): Promise<TwinAnswer> {
    const { method, path } = request
    if (method !== 'POST') return unknownPath
    if (path === '/oauth/v3/token' || path === '/oauth/v2/token') return access.issue(request)
    const [, country_path = '', call] =
      /^\/orange-money-webpay\/([a-z]{2,3})\/v1\/(webpayment|transactionstatus)$/.exec(path) ?? []
    if (call === undefined) return unknownPath
    const refused = access.refused(request, country_path)
    if (refused !== null) return refused
    return call === 'webpayment' ? await announce(request) : read(request)
  }
}
