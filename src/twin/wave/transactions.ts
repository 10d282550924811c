import type { ApiContext } from '../api.ts'
import { type Execution, keyOf } from '../state.ts'
import type { TwinAnswer, TwinRequest } from '../wire.ts'
import { sessionDetail, transactionOf } from './sessions.ts'
import { kindOf, type Settings } from './settings.ts'
import { refused } from './words.ts'

type Parts = Pick<ApiContext, 'time' | 'operations'> & {
  settings: Settings
}

const types = { session: 'api_checkout', refund: 'api_checkout_refund', payout: 'api_payout' } as const

/** Answers the list of a day, a page at a time. A refund is read here and nowhere else, so that its faults lie here as well. */
export function listTransactions(request: TwinRequest, { settings, time, operations }: Parts): TwinAnswer {
  const date = request.query.get('date') ?? time.text().slice(0, 10)
  const after = request.query.get('after')
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || (after !== null && !/^c\d{1,9}$/.test(after)))
    return refused(settings, 'request-validation-error', 'date is such as 2026-03-02, and after a cursor.')
  const lines = operations.movements('wave').filter(({ at }) => time.text(at).startsWith(date))
  const from = after === null ? 0 : Number(after.slice(1))
  const to = Math.min(from + settings.page_size, lines.length)
  const shown = lines.slice(from, to).filter((line) => {
    if (kindOf(line.kind) !== 'refund' || request.fault !== null) return true
    return operations.read(request, line) !== null
  })
  return {
    status: 200,
    body: {
      page_info: { start_cursor: after, end_cursor: `c${to}`, has_next_page: to < lines.length },
      date,
      items: shown.map((line) => itemOf(line, { time, operations })),
    },
    unverified: 'The sign of amounts that go out, and how many lines a page has.',
  }
}

function itemOf(line: Execution, { time, operations }: Pick<Parts, 'time' | 'operations'>): Record<string, unknown> {
  const { at, kind, reference, amount, fee, msisdn, wallet_after } = line
  const operation = operations.byKey(keyOf(line))
  const session = kindOf(kind) === 'payout' || operation === null ? null : sessionDetail(operation)
  const named = operation === null || operation.detail.client_reference !== null
  return {
    timestamp: time.text(at),
    transaction_id: transactionOf(operation?.transaction ?? reference),
    transaction_type: types[kindOf(kind)],
    amount: String(amount),
    fee: String(fee),
    balance: String(wallet_after),
    currency: 'XOF',
    is_reversal: kindOf(kind) === 'refund',
    counterparty_mobile: msisdn,
    ...(named ? { client_reference: reference } : {}),
    ...(session === null ? {} : { checkout_api_session_id: session.id }),
  }
}
