import { backLink } from '../../console/components.ts'
import { hiddenSearch } from '../../console/hidden-search.ts'
import { defineDeskScreen } from '../../console/screen.ts'
import { type SearchDeps, searchFields, searchView } from '../desk/search-view.ts'

/** Searches the payment to refund. */
const getPaymentToRefund = defineDeskScreen<SearchDeps>({
  method: 'GET',
  path: '/refunds/find',
  query: searchFields,
  hides: 'q',
  operation: 'deskPaymentToRefund',
  summary: 'Find a payment to refund, of any merchant, by any of its facts',
  right: 'refunds.manage',
  handle: (request, deps) =>
    searchView(request, deps, {
      path: '/refunds/find',
      title: request.say(['Rembourser un paiement', 'Refund a payment']),
      back: backLink(request.at('/refunds'), request.say(['Remboursements', 'Refunds'])),
      kinds: ['payment'],
      to: ({ id }) => request.at(`/payments/${id}/refund`),
    }),
})

/** The search, and the POST of its form. */
export const findPaymentScreens = [getPaymentToRefund, hiddenSearch(getPaymentToRefund)] as const
