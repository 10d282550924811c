import { type ActScreenDeps, consoleAct } from '../../console/acts/act-screen.ts'
import type { FieldError } from '../../console/forms.ts'
import { absent, defineConsoleScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { readBalances } from '../../ledger/balances.ts'
import { readOwnPayment } from '../../payments/find-payments.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { askRefund, withdrawAsked } from '../../refunds/ask-refund.ts'
import { type RefundRequest, readLastRequest } from '../../refunds/refund-request.ts'
import { readGiven } from '../../refunds/store.ts'
import { looksLikeId } from '../../values/ids.ts'
import { askRefundView } from './ask-refund-view.ts'

type Deps = { readonly sql: Sql }
type Request = ScreenRequest<'console'>

/** Shows the form, or the payment once a request waits or nothing is left. */
async function show(request: Request, { sql }: Deps, errors: readonly FieldError[] = []): Promise<ScreenAnswer> {
  const { tenant, params, at } = request
  const payment_id = params.id ?? ''
  if (!looksLikeId('txn', payment_id)) return absent
  const key = { ...tenant, payment_id }
  const [found, given, last, balances] = await Promise.all([
    readOwnPayment(sql, key),
    readGiven(sql, key, payment_id),
    readLastRequest(sql, key),
    readBalances(sql, tenant),
  ])
  if (found === null) return absent
  const { payment } = found
  const left = payment.amount - given.amount
  const isPaid = payment.status === 'succeeded' || payment.status === 'partially_refunded'
  if (errors.length === 0 && (last?.status === 'asked' || !isPaid || left <= 0))
    return moved(at(`/payments/${payment_id}`))
  const { amount, amount_collected, fee_amount, payer, created_at } = payment
  const shown = { id: payment_id, amount, amount_collected, fee_amount, payer, created_at }
  const facts = { payment: shown, given, left: Math.max(1, left), available: balances?.available ?? 0 }
  return askRefundView(request, facts, errors)
}

const getAsk = defineConsoleScreen<Deps>({
  method: 'GET',
  path: '/payments/:id/refund',
  operation: 'askRefundScreen',
  summary: 'The form that asks for the refund of a payment',
  right: 'refunds.ask',
  handle: (request, deps) => show(request, deps),
})

const postAsk = consoleAct<unknown, RefundRequest | null, Deps & ActScreenDeps>(askRefund, {
  path: '/payments/:id/refund',
  back: ({ at, params }) => at(`/payments/${params.id}`),
  done: ({ params }) => `/payments/${params.id}?done=refund_wanted`,
  again: (request, deps, errors) => show(request, deps, errors),
})

const postWithdraw = consoleAct<unknown, RefundRequest, Deps & ActScreenDeps>(withdrawAsked, {
  path: '/refund-requests/:id/withdraw',
  back: ({ at }) => at('/payments'),
  done: (_, { payment_id }) => `/payments/${payment_id}?done=withdrawn`,
  // It was decided meanwhile: the list of payments leads to where it stands.
  again: async ({ at }) => moved(at('/payments')),
})

/** The screens with which a merchant asks for a refund. */
export const askRefundScreens = [getAsk, postAsk, postWithdraw] as const
