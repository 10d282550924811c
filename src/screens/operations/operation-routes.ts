import { absent, defineConsoleScreen } from '../../console/screen.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { looksLikeId } from '../../values/ids.ts'
import { readNames } from '../approvals/waiting.ts'
import { paymentView, readPaymentPage } from './payment-page.ts'
import { payoutView, readPayoutPage } from './payout-page.ts'

type OperationDeps = { readonly sql: Sql }

const showPayment = defineConsoleScreen({
  method: 'GET',
  path: '/payments/:id',
  operation: 'show_payment_screen',
  summary: 'One payment, its story and its facts',
  right: 'payments.read',
  async handle(request, { sql }: OperationDeps) {
    const id = request.params.id ?? ''
    const page = looksLikeId('txn', id) ? await readPaymentPage(sql, request.tenant, id) : null
    return page === null ? absent : paymentView(request, page, await readNames(sql, request.tenant))
  },
})

const showPayout = defineConsoleScreen({
  method: 'GET',
  path: '/payouts/:id',
  operation: 'show_payout_screen',
  summary: 'One payout, its story and its facts',
  right: 'payouts.read',
  async handle(request, { sql }: OperationDeps) {
    const id = request.params.id ?? ''
    const page = looksLikeId('txn', id) ? await readPayoutPage(sql, request.tenant, id) : null
    return page === null ? absent : payoutView(request, page, await readNames(sql, request.tenant))
  },
})

/** The page of one payment and of one payout. */
export const operationScreens = [showPayment, showPayout] as const
