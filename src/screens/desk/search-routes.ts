import { hiddenSearch } from '../../console/hidden-search.ts'
import { defineDeskScreen, type ScreenRequest } from '../../console/screen.ts'
import { operationKinds } from '../../listings/listed-operation.ts'
import type { OperationSomewhere } from '../../listings/search-everywhere.ts'
import { consolePageOf } from '../merchants/console-page.ts'
import { type SearchDeps, searchFields, searchView } from './search-view.ts'

/** Searches the operations of all merchants in every possible meaning: an id, a reference, a phone number or its end, an amount, a day. */
const getDeskSearch = defineDeskScreen<SearchDeps>({
  method: 'GET',
  path: '/search',
  query: searchFields,
  hides: 'q',
  operation: 'deskSearch',
  summary: 'Find an operation of any merchant by any of its facts',
  right: 'cases.read',
  handle: (request, deps) =>
    searchView(request, deps, {
      path: '/search',
      title: request.say(['Chercher chez tous les marchands', 'Search all merchants']),
      kinds: operationKinds,
      to: (operation) => addressOf(request, operation),
    }),
})

/** The desk's own page of an operation, or else the way to the merchant's console, which asks for a reason. */
function addressOf({ at }: ScreenRequest<'desk'>, { kind, id, merchant_id }: OperationSomewhere): string {
  if (kind === 'settlement') return at(`/settlements/${id}`)
  if (kind === 'refund') return at(`/refunds/${id}`)
  return at(`/merchants/${merchant_id}?operation=${consolePageOf(kind, id)}#look`)
}

/** The search, and the POST of its form. */
export const deskSearchScreens = [getDeskSearch, hiddenSearch(getDeskSearch)] as const
