import { blank, id, pageHead, panel } from '../../console/components.ts'
import { field, nonceField } from '../../console/forms.ts'
import { hiddenSearch, SEALED } from '../../console/hidden-search.ts'
import { list } from '../../console/list.ts'
import { defineConsoleScreen, moved, type ScreenRequest } from '../../console/screen.ts'
import type { ListedOperation, OperationKind } from '../../listings/listed-operation.ts'
import { search } from '../../listings/search.ts'
import type { SearchHit } from '../../listings/search-meanings.ts'
import { type Html, html } from '../../platform/http/html.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { asSeen } from '../../values/as-seen.ts'
import { hitColumns } from './hit-columns.ts'
import { partyCell } from './operation-lists.ts'
import { findOwnPage } from './page-by-id.ts'

/** Searches in every possible meaning: an id, a reference, a phone number or its last four digits, an amount, a day. */
const searchScreen = defineConsoleScreen<{ readonly reads: Db }>({
  method: 'GET',
  path: '/search',
  query: ['q', SEALED],
  hides: 'q',
  operation: 'searchOperations',
  summary: 'Find an operation of a merchant by anything that is known of it',
  right: 'payments.read',
  async handle(request, { reads }) {
    const { say, query, tenant, can } = request
    const typed = (query.get('q') ?? '').trim()
    const own = await findOwnPage(reads, tenant, asSeen(typed))
    if (own !== null) return moved(request.at(own))
    const found = await search(reads, tenant, typed)
    const hits = found.hits.filter(({ operation: { kind } }) => mayRead(kind, can))
    const asked = can('requests.read') ? found.request : null
    const box = searchBox(request, typed)
    const nothing = blank('look', {
      title: say(['Rien trouvé', 'Nothing found']),
      text: say(['Vérifiez si c’est de l’argent réel ou du test.', 'Check whether you are in live or test mode.']),
    })
    const rows = list<SearchHit<ListedOperation>>({
      caption: say(['Résultats', 'Results']),
      rows: hits,
      columns: [
        { title: say(['Qui', 'Who']), kind: 'k', cell: ({ operation }) => partyCell(request, operation) },
        ...hitColumns<SearchHit<ListedOperation>>(request, ['votre référence', 'your reference']),
      ],
    })
    const call =
      asked === null
        ? ''
        : panel(
            say(['Un appel de votre programme', 'A call by your program']),
            html`<p><a href="${request.at(`/requests?request_id=${asked.request_id}`)}">${id(`${asked.method} ${asked.path}`)}</a></p>`,
          )
    const shown =
      (hits.length > 0 || asked === null) && panel(null, hits.length === 0 ? nothing : rows, { flush: true })
    const main = html`${pageHead({ title: say(['Chercher', 'Search']) })}${box}${typed !== '' && shown}${call}`
    return { kind: 'view', title: say(['Chercher', 'Search']), main, facts: { q: typed, hits, request: asked } }
  },
})

function searchBox({ say, at, nonce }: ScreenRequest<'console'>, typed: string): Html {
  const find = say(['Chercher', 'Search'])
  const hint = say([
    'Un numéro ou ses quatre derniers chiffres, un montant, un jour, une référence, un identifiant.',
    'A number or its last four digits, an amount, a day, a reference, an identifier.',
  ])
  const box = field({ name: 'q', label: find, type: 'search', value: typed, hint })
  const content = html`${nonceField(nonce)}${box}<button class="second">${find}</button>`
  const attributes = html` aria-label="${say(['Chercher ici', 'Search here'])}" action="${at(`/search/${SEALED}`)}"`
  return html`<form method="post" class="find wide stack" role="search"${attributes}>${content}</form>`
}

function mayRead(kind: OperationKind, can: (right: 'payments.read' | 'payouts.read' | 'settlements.read') => boolean) {
  if (kind === 'settlement') return can('settlements.read')
  return can(kind === 'payout' || kind === 'batch' ? 'payouts.read' : 'payments.read')
}

/** The search, and the POST of its form. */
export const searchScreens = [searchScreen, hiddenSearch(searchScreen)] as const
