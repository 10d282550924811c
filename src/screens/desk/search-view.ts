import { blank, note, pageHead, panel } from '../../console/components.ts'
import { errorList, type FieldError, field, nonceField } from '../../console/forms.ts'
import { SEALED } from '../../console/hidden-search.ts'
import { list, rowLink } from '../../console/list.ts'
import { moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import type { OperationKind } from '../../listings/listed-operation.ts'
import {
  type EverywhereResult,
  type Narrowing,
  type OperationSomewhere,
  searchEverywhere,
} from '../../listings/search-everywhere.ts'
import { readSearch, type SearchHit, WRITTEN_MAX } from '../../listings/search-meanings.ts'
import { readMerchantNames } from '../../merchants/store.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import { writeNumberEnd } from '../../platform/http/pages/write-values.ts'
import type { Db, Sql } from '../../platform/postgres/database.ts'
import { merchantIdIn } from '../../values/read-typed.ts'
import { hitColumns } from '../operations/hit-columns.ts'
import type { PlaceOfId } from './find-by-id.ts'

export type SearchDeps = { readonly sql: Sql; readonly reads: Db }
type Request = ScreenRequest<'desk'>
type Hit = SearchHit<OperationSomewhere>

/** The fields of a search in its address. */
export const searchFields = ['q', SEALED, 'amount', 'day', 'merchant'] as const

/** Each field as it was typed. */
type Typed = Readonly<Record<'q' | 'amount' | 'day' | 'merchant', string>>

/**
 * The page of a search across all merchants, with its form and its results.
 * @param page `path`: the path of the screen; `elsewhere`: finds what the text names when no operation has it, which may read a whole log, and
 *   tells it where it has no page; `kinds`: the kinds to show; `to`: the page of an operation
 */
export async function searchView(
  request: Request,
  deps: SearchDeps,
  page: {
    readonly path: string
    readonly title: string
    readonly back?: Piece
    readonly elsewhere?: {
      readonly find: () => Promise<PlaceOfId | null>
      readonly tell: (place: Exclude<PlaceOfId, { kind: 'page' }>) => Html
    }
    readonly kinds: readonly OperationKind[]
    readonly to: (operation: OperationSomewhere) => string
  },
): Promise<ScreenAnswer> {
  const { say, query, livemode, actor } = request
  const text = (name: keyof Typed) => (query.get(name) ?? '').trim().slice(0, WRITTEN_MAX)
  const typed: Typed = { q: text('q'), amount: text('amount'), day: text('day'), merchant: text('merchant') }
  const { narrowing, errors } = readNarrowing(request, typed)
  // An amount or a day alone is a search too.
  const sought = typed.q || typed.amount || typed.day
  const found =
    sought === '' || errors.length > 0
      ? null
      : await searchEverywhere(deps, { livemode, typed: sought, narrowing, kinds: page.kinds }, actor)
  const place = found?.hits.length === 0 ? ((await page.elsewhere?.find()) ?? null) : null
  if (place?.kind === 'page') return moved(place.to)
  const told = place === null ? null : page.elsewhere!.tell(place)
  const names = await readMerchantNames(deps.reads, found?.hits.map(({ operation }) => operation.merchant_id) ?? [])
  const form = searchForm(request, typed, { path: page.path, errors, isCut: found?.is_cut ?? false })
  const main = html`${page.back}${pageHead({ title: page.title })}${errorList(say, errors)}
<div class="stack">${form}${told}${found !== null && told === null && results(request, found, { names, to: page.to })}</div>`
  const facts = { ...typed, ...(found && factsOf(found)), errors }
  return { kind: 'view', status: errors.length > 0 ? 422 : 200, title: page.title, main, facts }
}

function readNarrowing(
  { say }: Request,
  { amount, day, merchant }: Typed,
): { narrowing: Narrowing; errors: readonly FieldError[] } {
  const narrowing = {
    amount: readSearch(amount).amount,
    day: readSearch(day).day,
    merchant_id: merchantIdIn(merchant),
  }
  const errors: FieldError[] = []
  if (amount !== '' && narrowing.amount === null)
    errors.push({ field: 'amount', text: say(['Écrivez une somme en francs.', 'Write a sum in francs.']) })
  if (day !== '' && narrowing.day === null)
    errors.push({ field: 'day', text: say(['Écrivez un jour, comme 24/11/2026.', 'Write a day, such as 24/11/2026.']) })
  if (merchant !== '' && narrowing.merchant_id === null)
    errors.push({
      field: 'merchant',
      text: say(['Écrivez le numéro du marchand.', 'Write the number of the merchant.']),
    })
  return { narrowing, errors }
}

/** The form, with what narrows the search behind a summary until it is used or needed. */
function searchForm(
  request: Request,
  typed: Typed,
  { path, errors, isCut }: { path: string; errors: readonly FieldError[]; isCut: boolean },
): Html {
  const { say, at } = request
  const isOpen = isCut || `${typed.amount}${typed.day}${typed.merchant}` !== ''
  const numeric = { inputmode: 'numeric', autocomplete: 'off' }
  const search = html`<button class="second">${say(['Chercher', 'Search'])}</button>`
  const hint = say([
    'Une référence du marchand ou de l’opérateur, un numéro ou ses quatre derniers chiffres, un montant, un jour, un identifiant. Chercher un numéro laisse une trace.',
    'A reference of the merchant or the operator, a number or its last four digits, an amount, a day, an identifier. A search for a number is recorded in the audit log.',
  ])
  const known = field(
    {
      name: 'q',
      label: say(['Ce que vous savez', 'What you know']),
      type: 'search',
      value: typed.q,
      hint,
      more: { maxlength: String(WRITTEN_MAX), autocomplete: 'off' },
    },
    errors,
  )
  const amountLabel = say(['Montant, F CFA', 'Amount, F CFA'])
  const amount = field({ name: 'amount', label: amountLabel, value: typed.amount, more: numeric }, errors)
  const merchantLabel = say(['Numéro du marchand', 'Number of the merchant'])
  const day = readSearch(typed.day).day ?? ''
  const content = html`${known}
<details${isOpen && html` open`}><summary>${say(['Préciser', 'Narrow the search'])}</summary><div class="inline gap">${amount}
${field({ name: 'day', label: say(['Jour', 'Day']), type: 'date', value: day }, errors)}
${field({ name: 'merchant', label: merchantLabel, value: typed.merchant, more: numeric }, errors)}</div></details>${search}`
  const attributes = html` class="stack" role="search" aria-label="${say(['Chercher ici', 'Search here'])}"`
  const to = at(`${path}/${SEALED}`)
  return panel(
    null,
    html`<form method="post" action="${to}"${attributes}>${nonceField(request.nonce)}${content}</form>`,
  )
}

function results(
  request: Request,
  found: EverywhereResult,
  { names, to }: { names: ReadonlyMap<number, string>; to: (operation: OperationSomewhere) => string },
): Html {
  const { say } = request
  const { hits, is_cut, is_recent } = found
  const cut =
    is_cut &&
    note(
      'care',
      say(['Il y en a trop : précisez', 'There are too many: narrow your search']),
      say([
        'Seules les plus récentes sont ici. Ajoutez un montant, un jour ou le numéro du marchand.',
        'Only the newest are here. Add an amount, a day or the number of the merchant.',
      ]),
    )
  const newest = say([
    'Des lots, reversements et remboursements, seuls les plus récents ont été lus. Avec un jour ou le numéro du marchand, les autres le sont aussi.',
    'Of batches, settlements and refunds, only the newest were read. With a day or the number of the merchant, the others are read too.',
  ])
  const recent = is_recent && html`<p class="hint">${newest}</p>`
  const content =
    hits.length === 0
      ? blank('look', {
          title: say(['Rien trouvé', 'Nothing found']),
          text: say(['Vérifiez si c’est de l’argent réel ou du test.', 'Check whether you are in live or test mode.']),
        })
      : list<Hit>({
          caption: say(['Résultats', 'Results']),
          rows: hits,
          columns: [
            {
              title: say(['Marchand', 'Merchant']),
              kind: 'k',
              cell: ({ operation }) =>
                rowLink(
                  to(operation),
                  names.get(operation.merchant_id) ?? String(operation.merchant_id),
                  [endOf(operation), operation.reference].filter((part) => part !== null).join(' · '),
                ),
            },
            ...hitColumns<Hit>(request, ['référence du marchand', 'merchant’s reference']),
          ],
        })
  return html`${cut}${panel(null, content, { flush: hits.length > 0 })}${recent}`
}

/** The end of the number or account. Nobody reads the whole one here. */
function endOf({ kind, last4 }: OperationSomewhere): string | null {
  if (last4 === null) return null
  return kind === 'settlement' ? `•• ${last4}` : writeNumberEnd(last4)
}

/** The facts for a program: no name of a person, and only the end of a number. */
function factsOf({ hits, is_cut, is_recent }: EverywhereResult) {
  return {
    hits: hits.map(
      ({ found_by, operation: { merchant_id, kind, id, amount, status, operator, reference, last4, created_at } }) => ({
        found_by,
        ...{ merchant_id, kind, id, amount, status, operator, reference, last4, created_at },
      }),
    ),
    is_cut,
    is_recent,
  }
}
