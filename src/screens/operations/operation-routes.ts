import type { Addresses } from '../../checkout/addresses.ts'
import { readSession } from '../../checkout/store.ts'
import type { ConsoleFrame } from '../../console/console-frame.ts'
import { absent, defineConsoleScreen } from '../../console/screen.ts'
import type { Registry } from '../../operators/routing/registry.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { readLastRequest } from '../../refunds/refund-request.ts'
import { readGiven } from '../../refunds/store.ts'
import { looksLikeId } from '../../values/ids.ts'
import { readNames } from '../approvals/waiting.ts'
import { paymentView, readPaymentPage } from './payment-page.ts'
import { payoutView, readPayoutPage } from './payout-page.ts'
import { readRefundPage, refundView } from './refund-page.ts'
import { refundWay } from './refund-way.ts'
import { readSettlementPage, settlementView } from './settlement-page.ts'

type OperationDeps = { readonly sql: Sql }
type PaymentDeps = OperationDeps & {
  readonly console: ConsoleFrame
  readonly links: { readonly addresses: Addresses }
}

const showPayment = defineConsoleScreen({
  method: 'GET',
  path: '/payments/:id',
  operation: 'showPaymentScreen',
  summary: 'One payment, its story and its facts',
  right: 'payments.read',
  async handle(request, { sql, console, links }: PaymentDeps) {
    const id = request.params.id ?? ''
    if (!looksLikeId('txn', id)) return absent
    const { tenant } = request
    const [page, names, asked, { amount: given }] = await Promise.all([
      readPaymentPage(sql, tenant, id),
      readNames(sql, tenant),
      readLastRequest(sql, { ...tenant, payment_id: id }),
      readGiven(sql, { ...tenant, payment_id: id }, id),
    ])
    if (page === null) return absent
    const refund = refundWay(request, console, page.payment, { asked, names, given })
    const session_id = page.payment.checkout_session_id
    const session = session_id === undefined ? null : await readSession(sql, { ...tenant, session_id })
    // The page of a session shows the receipt of the payment that paid it. Another attempt may be another payer's.
    const receipt_url = session?.payment_id === id ? links.addresses.sessionUrl(session.id) : null
    return paymentView(request, page, { names, refund, receipt_url })
  },
})

const showPayout = defineConsoleScreen({
  method: 'GET',
  path: '/payouts/:id',
  operation: 'showPayoutScreen',
  summary: 'One payout, its story and its facts',
  right: 'payouts.read',
  async handle(request, { sql }: OperationDeps) {
    const id = request.params.id ?? ''
    if (!looksLikeId('txn', id)) return absent
    const [page, names] = await Promise.all([readPayoutPage(sql, request.tenant, id), readNames(sql, request.tenant)])
    return page === null ? absent : payoutView(request, page, names)
  },
})

const showRefund = defineConsoleScreen({
  method: 'GET',
  path: '/refunds/:id',
  operation: 'showRefundScreen',
  summary: 'One refund, its story and its facts',
  right: 'payments.read',
  async handle(request, { sql, registry }: OperationDeps & { readonly registry: Registry }) {
    const id = request.params.id ?? ''
    if (!looksLikeId('rfd', id)) return absent
    const [page, names] = await Promise.all([
      readRefundPage({ sql, registry }, request.tenant, id),
      readNames(sql, request.tenant),
    ])
    return page === null ? absent : refundView(request, page, names)
  },
})

const showSettlement = defineConsoleScreen({
  method: 'GET',
  path: '/settlements/:id',
  operation: 'showSettlementScreen',
  summary: 'One settlement, its story and its facts',
  right: 'settlements.read',
  async handle(request, { sql }: OperationDeps) {
    const id = request.params.id ?? ''
    if (!looksLikeId('stl', id)) return absent
    const [page, names] = await Promise.all([
      readSettlementPage(sql, request.tenant, id),
      readNames(sql, request.tenant),
    ])
    return page === null ? absent : settlementView(request, page, names)
  },
})

/** The screens of one operation, one for each kind. */
export const operationScreens = [showPayment, showPayout, showRefund, showSettlement] as const
