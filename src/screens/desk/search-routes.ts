import { WHOLE_SERVICE } from '../../audit-log/record-act.ts'
import { note } from '../../console/components.ts'
import { hiddenSearch } from '../../console/hidden-search.ts'
import { defineDeskScreen, type ScreenRequest } from '../../console/screen.ts'
import { operationKinds } from '../../listings/listed-operation.ts'
import type { OperationSomewhere } from '../../listings/search-everywhere.ts'
import { roleWords } from '../../people/role-words.ts'
import { type Html, html } from '../../platform/http/html.ts'
import { asSeen } from '../../values/as-seen.ts'
import { rolesWith, type StaffRole } from '../../values/rights.ts'
import { consolePageField, consolePageOf } from '../merchants/console-page.ts'
import { findById, type PlaceOfId } from './find-by-id.ts'
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
      elsewhere: {
        find: () => findById(request, deps.reads, asSeen(request.query.get('q') ?? '')),
        tell: (place) => placeNote(request, place),
      },
      kinds: operationKinds,
      to: (operation) => addressOf(request, operation),
    }),
})

/** Says where an identifier leads that has no page here. */
function placeNote({ say }: ScreenRequest<'desk'>, place: Exclude<PlaceOfId, { kind: 'page' }>): Html {
  if (place.kind === 'not_permitted') {
    const roles = rolesWith(place.right).map((role) => say(roleWords[role as StaffRole]))
    const text = say(
      [
        'Cet identifiant mène à une personne. Ces rôles voient sa page : {roles}.',
        'This identifier leads to a person. These roles see their page: {roles}.',
      ],
      { roles: roles.join(', ') },
    )
    return note('care', null, text)
  }
  const { merchant_id: n, to } = place
  const [words, open] =
    n === WHOLE_SERVICE
      ? [
          say(['Cet identifiant est de l’autre mode.', 'This identifier is of the other mode.']),
          say(['Ouvrir', 'Open']),
        ]
      : [
          say(
            [
              'Cet identifiant est du marchand {n}, dans l’autre mode.',
              'This identifier is of merchant {n}, in the other mode.',
            ],
            { n },
          ),
          say(['Ouvrir le marchand', 'Open the merchant']),
        ]
  return note('care', null, html`${words} <a href="${to}">${open}</a>`)
}

/** The desk's own page of an operation, or else the way to the merchant's console, which asks for a reason. */
function addressOf({ at }: ScreenRequest<'desk'>, { kind, id, merchant_id }: OperationSomewhere): string {
  if (kind === 'settlement') return at(`/settlements/${id}`)
  if (kind === 'refund') return at(`/refunds/${id}`)
  return at(`/merchants/${merchant_id}?${consolePageField(consolePageOf(kind, id))}#look`)
}

/** The search, and the POST of its form. */
export const deskSearchScreens = [getDeskSearch, hiddenSearch(getDeskSearch)] as const
