import { backLink } from '../../console/components.ts'
import { defineDeskScreen } from '../../console/screen.ts'
import { type SearchDeps, searchFields, searchView } from '../desk/search-view.ts'

/** Searches the payment to refund. */
export const getPaymentToRefund = defineDeskScreen<SearchDeps>({
  method: 'GET',
  path: '/refunds/find',
  query: searchFields,
  operation: 'deskPaymentToRefund',
  summary: 'Find a payment to refund, of any merchant, by anything that is known of it',
  right: 'refunds.manage',
  handle: (request, deps) =>
    searchView(request, deps, {
      title: request.say(['Rembourser un paiement', 'Refund a payment']),
      back: backLink(request.at('/refunds'), request.say(['Remboursements', 'Refunds'])),
      kinds: ['payment'],
      to: ({ id }) => request.at(`/payments/${id}/refund`),
    }),
})
