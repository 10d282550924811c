import { backLink, blank, status as drawStatus, operatorName, pageHead, panel } from '../../console/components.ts'
import { field } from '../../console/forms.ts'
import { list, moneyCell, rowLink } from '../../console/list.ts'
import { defineDeskScreen, type ScreenRequest } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import { search } from '../../listings/search.ts'
import { readMerchantNames } from '../../merchants/store.ts'
import { findPaymentsByReference, type PaymentForStaff, readPaymentFile } from '../../payments/find-payments.ts'
import type { PaymentStatus } from '../../payments/payment.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { writeNumberEnd, writeShortDate } from '../../platform/http/pages/write-values.ts'
import type { Db, Sql } from '../../platform/postgres/database.ts'
import { looksLikeId } from '../../values/ids.ts'
import { isOperatorCode } from '../../values/operators.ts'
import { merchantIdIn } from '../merchants/tenant-in.ts'

type Deps = { readonly sql: Sql; readonly reads: Db }
type Request = ScreenRequest<'desk'>

/** A found payment, with the last four digits of the payer's number. */
type FoundPayment = {
  readonly id: string
  readonly merchant_id: number
  readonly amount: number
  readonly status: PaymentStatus
  readonly operator: string | null
  readonly last4: string | null
  readonly reference: string | null
  readonly created_at: Date
}

/** The most characters of a search: no reference is longer. */
const SEARCH_MAX = 255

/** Searches the payment to refund. */
export const getPaymentToRefund = defineDeskScreen<Deps>({
  method: 'GET',
  path: '/refunds/find',
  query: ['q', 'merchant'],
  operation: 'deskPaymentToRefund',
  summary: 'Find a payment to refund: by id or reference, and of one merchant by number, amount or day',
  right: 'refunds.manage',
  async handle(request, deps) {
    const { say, query, at } = request
    const typed = (query.get('q') ?? '').trim().slice(0, SEARCH_MAX)
    const merchant = (query.get('merchant') ?? '').trim()
    const found = typed === '' ? [] : await findPayments(request, deps, typed, merchantIdIn(merchant))
    const names = await readMerchantNames(
      deps.reads,
      found.map(({ merchant_id }) => merchant_id),
    )
    const title = say(['Rembourser un paiement', 'Refund a payment'])
    const content = html`${field({
      name: 'q',
      label: say(['Le paiement', 'The payment']),
      hint: say([
        'Son numéro (txn_…) ou la référence du marchand. Avec le numéro du marchand aussi un téléphone, un montant ou un jour.',
        'Its identifier (txn_…) or the merchant’s reference. With the number of the merchant also a telephone, an amount or a day.',
      ]),
      value: typed,
      type: 'search',
      more: { maxlength: String(SEARCH_MAX) },
    })}${field({
      name: 'merchant',
      label: say(['Numéro du marchand', 'Number of the merchant']),
      value: merchant,
      more: { inputmode: 'numeric', maxlength: '15' },
    })}<button class="second">${say(['Chercher', 'Search'])}</button>`
    const results = typed !== '' && panel(null, resultsOf(request, found, names), { flush: found.length > 0 })
    const main = html`${backLink(at('/refunds'), say(['Remboursements', 'Refunds']))}${pageHead({ title })}
<div class="stack">${panel(null, html`<form method="get" class="stack" role="search" aria-label="${title}">${content}</form>`)}${results}</div>`
    return { kind: 'view', title, main, facts: { payments: found } }
  },
})

async function findPayments(
  { livemode }: Request,
  { sql, reads }: Deps,
  typed: string,
  merchant_id: number | null,
): Promise<FoundPayment[]> {
  if (merchant_id !== null) {
    const { hits } = await search(reads, { merchant_id, livemode }, typed)
    return hits.flatMap(({ operation: { kind, status, ...row } }) =>
      kind === 'payment' ? [{ ...row, merchant_id, status: status as PaymentStatus }] : [],
    )
  }
  if (looksLikeId('txn', typed)) {
    const file = await readPaymentFile(sql, typed)
    return file === null || file.payment.livemode !== livemode ? [] : [foundOf(file.payment)]
  }
  const all = await findPaymentsByReference(reads, typed, null)
  return all.filter((payment) => payment.livemode === livemode).map(foundOf)
}

function foundOf(payment: PaymentForStaff): FoundPayment {
  const { id, merchant_id, amount, status, operator, payer, merchant_reference: reference, created_at } = payment
  const last4 = payer?.slice(-4) ?? null
  return { id, merchant_id, amount, status, operator, last4, reference, created_at: new Date(created_at) }
}

function resultsOf(
  { say, at, language }: Request,
  found: readonly FoundPayment[],
  names: ReadonlyMap<number, string>,
): Html {
  if (found.length === 0) {
    return blank('look', {
      title: say(['Aucun paiement trouvé', 'No payment found']),
      text: say(['Vérifiez si c’est de l’argent réel ou du test.', 'Check whether you are in live or test mode.']),
    })
  }
  return list<FoundPayment>({
    caption: say(['Paiements trouvés', 'Payments found']),
    rows: found,
    columns: [
      {
        title: say(['Marchand', 'Merchant']),
        kind: 'k',
        cell: ({ id, merchant_id, reference, last4 }) =>
          rowLink(
            at(`/payments/${id}/refund`),
            names.get(merchant_id) ?? String(merchant_id),
            [last4 === null ? null : writeNumberEnd(last4), reference].filter(Boolean).join(' · '),
          ),
      },
      {
        title: say(['État', 'State']),
        kind: 's',
        cell: ({ status }) => drawStatus(statusWords.payment[status][0], say(statusWords.payment[status][1])),
      },
      {
        title: say(['Opérateur', 'Operator']),
        kind: 'w',
        cell: ({ operator }) =>
          operator !== null && isOperatorCode(operator) ? operatorName(operator) : (operator ?? ''),
      },
      { title: say(['Quand', 'When']), kind: 't', cell: ({ created_at }) => writeShortDate(created_at, language) },
      { title: say(['Montant, F CFA', 'Amount, F CFA']), kind: 'm', cell: ({ amount }) => moneyCell(amount) },
    ],
  })
}
