import {
  backLink,
  blank,
  figures,
  linkButton,
  pageHead,
  panel,
  rows,
  type StoryEvent,
  status,
  story,
} from '../../console/components.ts'
import { errorList, type FieldError, field, form, select } from '../../console/forms.ts'
import { hiddenAgain, SEALED } from '../../console/hidden-search.ts'
import { icon } from '../../console/icons.ts'
import { chips, filteredAddress, filters, list, moneyCell, pages, rowLink, tabs } from '../../console/list.ts'
import { quoted } from '../../console/say.ts'
import type { ScreenRequest, ScreenView } from '../../console/screen.ts'
import { statusWords } from '../../console/words.ts'
import type { ListedOperation } from '../../listings/listed-operation.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import { writeNumberEnd, writeShortDate } from '../../platform/http/pages/write-values.ts'
import { isOperatorCode, operatorCodes, operatorNames } from '../../values/operators.ts'
import { operatorPiece } from '../approvals/parts.ts'
import { writePerson, writeWholeNumber } from '../approvals/words.ts'
import { numberFields, type TypedNumber } from '../number-fields.ts'
import { destinationWords } from '../settlements/ask-view.ts'
import type { BookFacts, EntryFacts, ListedEntry, ShownEntry } from './book-facts.ts'

type Request = ScreenRequest<'console'>

/** The filters of the list in its address. Empty: any. */
export type ChosenEntries = { readonly state: '' | 'archived'; readonly operator: string; readonly text: string }

function addressOf(
  { at, query }: Request,
  { text, ...chosen }: ChosenEntries,
  more: Readonly<Record<string, string>> = {},
): string {
  return filteredAddress(at('/beneficiaries'), { ...chosen, ...(text !== '' && hiddenAgain(query, 'text')), ...more })
}

/** Writes the whole number, which its merchant's people know. The frame masks it for a visit. */
function numberOf({ number }: Pick<ShownEntry, 'number'>): Html {
  return figures(writeWholeNumber(number.e164))
}

/** The way to send money to an entry. Nothing for an archived one, or for a person who may not. */
function sendLink(
  { say, at, can }: Request,
  { id, active, name }: ShownEntry,
  kind: '' | 'second' | 'second over',
): Html {
  if (!active || !can('payouts.make')) return html``
  const to = html`<span class="sr"> ${say(['à {name}', 'to {name}'], { name })}</span>`
  return html`<a class="button${kind !== '' && ` ${kind}`}" href="${at(`/send?to=${id}`)}">${say(['Envoyer', 'Send'])}${to}</a>`
}

/** Returns the label, if it differs from the name. */
function labelOf({ name, label }: Pick<ShownEntry, 'name' | 'label'>): string | null {
  return label === name ? null : label
}

/** Whether somebody gave a name. Otherwise the entry has the end of its number in its place. */
function isNamed({ name, last4 }: ShownEntry): boolean {
  return name !== writeNumberEnd(last4)
}

/** The number under the name of a row, and the merchant's own label. */
function underName(row: ShownEntry): Html {
  const label = labelOf(row)
  return html`${numberOf(row)}${label !== null && ` · ${label}`}`
}

function adder(request: Request, names: BookFacts['names'], person: string | null): Piece {
  const { say, actor } = request
  return person === null ? say(['non noté', 'not noted']) : writePerson({ say, names, me: actor.person }, person)
}

/** The page of the book: its entries, and the author of each. */
export function bookView(request: Request, { page, names, designated }: BookFacts, chosen: ChosenEntries): ScreenView {
  const { say, at, can, query } = request
  const title = say(['Carnet', 'Address book'])
  const words = {
    operator: (value: string) => (isOperatorCode(value) ? operatorNames[value] : value),
    text: (value: string) => say(quoted, { text: value }),
  }
  const on = (['operator', 'text'] as const).flatMap((name) =>
    chosen[name] === ''
      ? []
      : [{ text: words[name](chosen[name]), without: addressOf(request, { ...chosen, [name]: '' }) }],
  )
  const paging = pages(say, {
    newer: query.has('after') ? addressOf(request, chosen) : null,
    older: page.after === null ? null : addressOf(request, chosen, { after: page.after }),
  })
  const content =
    page.rows.length === 0
      ? html`${noEntries(request, chosen, on.length > 0, page.after !== null)}${paging}`
      : html`${list<ListedEntry>({ caption: title, columns: columnsOf(request, names), rows: page.rows })}${paging}`
  const operators = operatorCodes.map((code) => ({ value: code, label: operatorNames[code] }))
  const any = { value: '', label: say(['Tous', 'All']) }
  const toDestination = designated !== null && destinationLink(request, designated)
  const main = html`${pageHead({
    title,
    lead: say(['À qui votre argent peut partir.', 'The people and numbers that you send money to.']),
    acts: can('beneficiaries.manage') && linkButton(at('/beneficiaries/new'), say(['Ajouter', 'Add'])),
  })}
${toDestination}${tabs(
  say,
  ['Carnet', 'Address book'],
  [
    { words: ['Actifs', 'In use'], to: addressOf(request, { ...chosen, state: '' }), current: chosen.state === '' },
    {
      words: ['Archivés', 'Archived'],
      to: addressOf(request, { ...chosen, state: 'archived' }),
      current: chosen.state === 'archived',
    },
    ...(can('settlements.read')
      ? [{ words: ['Reversements', 'Settlements'], to: at('/destination'), current: false } as const]
      : []),
  ],
)}
${filters(
  say,
  say(['Nom, numéro, opérateur', 'Name, number, operator']),
  html`${field({ name: 'text', label: say(['Nom ou numéro', 'Name or number']), value: chosen.text, type: 'search' })}
${select({ name: 'operator', label: say(['Opérateur', 'Operator']), value: chosen.operator, choices: [any, ...operators] })}`,
  { state: chosen.state, nonce: request.nonce },
  at(`/beneficiaries/${SEALED}`),
)}
${chips(say, on, null)}
${panel(null, content, { flush: true })}`
  return { kind: 'view', title, main, facts: { chosen, entries: page.rows, after: page.after } }
}

function noEntries({ say, at, can }: Request, { state }: ChosenEntries, narrowed: boolean, more: boolean): Html {
  if (more)
    return blank('look', {
      title: say(['Rien dans cette partie du carnet', 'Nothing in this part of the address book']),
      text: say(['La recherche continue plus loin.', 'The search goes on further down.']),
    })
  if (narrowed)
    return blank('look', {
      title: say(['Personne ne correspond', 'Nobody matches']),
      text: say(['Retirez un filtre pour en voir plus.', 'Remove a filter to see more.']),
      acts: linkButton(at('/beneficiaries'), say(['Tout voir', 'Show all']), 'second'),
    })
  if (state === 'archived') return blank('book', { title: say(['Rien n’est archivé', 'Nothing is archived']) })
  return blank('book', {
    title: say(['Personne dans le carnet', 'Nobody in the address book']),
    text: say([
      'Un bénéficiaire arrive ici quand vous l’ajoutez, ou par un premier envoi.',
      'A beneficiary comes here when you add them, or by a first payout.',
    ]),
    acts: can('beneficiaries.manage') && linkButton(at('/beneficiaries/new'), say(['Ajouter', 'Add']), 'second'),
  })
}

function columnsOf(request: Request, names: BookFacts['names']) {
  const { say, at, can, language } = request
  return [
    {
      title: say(['Nom', 'Name']),
      kind: 'k',
      cell: (row: ListedEntry) =>
        rowLink(
          at(`/beneficiaries/${row.id}`),
          isNamed(row) ? row.name : numberOf(row),
          isNamed(row) ? underName(row) : '',
        ),
    },
    { title: say(['Opérateur', 'Operator']), kind: '', cell: (row: ListedEntry) => operatorPiece(row.operator) },
    {
      title: say(['Ajouté par', 'Added by']),
      label: say(['Ajouté par', 'Added by']),
      kind: '',
      cell: (row: ListedEntry) =>
        html`${adder(request, names, row.added_by)}, ${writeShortDate(row.created_at, language)}`,
    },
    {
      title: say(['Dernier envoi', 'Last payout']),
      label: say(['Dernier envoi', 'Last payout']),
      kind: '',
      cell: ({ last_sent_at }: ListedEntry) =>
        last_sent_at === null ? say(['jamais', 'never']) : writeShortDate(last_sent_at, language),
    },
    ...(can('payouts.make')
      ? [
          {
            title: say(['Faire', 'Do']),
            kind: 'm',
            cell: (row: ListedEntry) => sendLink(request, row, 'second over'),
          } as const,
        ]
      : []),
  ] as const
}

/** The page of one entry: its holder, its history, and the payouts to it. */
export function entryView(request: Request, { entry, names, payouts }: EntryFacts): ScreenView {
  const { say, at, can, language } = request
  const { active, created_at, archived_at } = entry
  const label = labelOf(entry)
  const facts = rows([
    { name: say(['Numéro', 'Number']), value: numberOf(entry) },
    { name: say(['Opérateur', 'Operator']), value: operatorPiece(entry.operator) },
    label !== null && { name: say(['Pour vous', 'To you']), value: label },
    {
      name: say(['État', 'State']),
      value: active ? status('ok', say(['Actif', 'In use'])) : status('off', say(['Archivé', 'Archived'])),
    },
  ])
  const events: StoryEvent[] = [
    {
      at: created_at,
      icon: 'book',
      text: html`${say(['Ajouté au carnet par', 'Added to the address book by'])} ${adder(request, names, entry.added_by)}`,
    },
  ]
  if (archived_at !== null)
    events.push({
      at: archived_at,
      icon: 'x',
      text: html`${say(['Archivé par', 'Archived by'])} ${adder(request, names, entry.archived_by)}`,
    })
  const archive =
    active && can('beneficiaries.manage') ? panel(say(['Archiver', 'Archive']), archiveForm(request, entry.id)) : html``
  const main = html`${backLink(at('/beneficiaries'), say(['Carnet', 'Address book']))}
${pageHead({ title: entry.name, acts: sendLink(request, entry, '') })}
<div class="two flip"><div class="stack">${panel(null, facts)}${panel(say(['Histoire', 'History']), story(events, language))}</div>
<div class="stack">${payouts !== null && payoutsPanel(request, payouts)}${archive}</div></div>`
  return { kind: 'view', title: entry.name, main, facts: { entry, payouts } }
}

function payoutsPanel({ say, at, language }: Request, payouts: readonly ListedOperation[]): Html {
  const title = say(['Derniers envois à ce numéro', 'Last payouts to this number'])
  if (payouts.length === 0) return panel(title, html`<p class="soft">${say(['Aucun envoi.', 'No payout.'])}</p>`)
  const table = list<ListedOperation>({
    caption: title,
    size: 'few',
    rows: payouts,
    columns: [
      {
        title: say(['Quand', 'When']),
        kind: 'k',
        cell: ({ id, created_at, reference }) =>
          rowLink(at(`/payouts/${id}`), writeShortDate(created_at, language), reference),
      },
      {
        title: say(['État', 'State']),
        kind: 's',
        cell: ({ status: state }) => {
          const [shape, words] = statusWords.payout[state as keyof typeof statusWords.payout]
          return status(shape, say(words))
        },
      },
      { title: say(['Montant, F CFA', 'Amount, F CFA']), kind: 'm', cell: ({ amount }) => moneyCell(amount) },
    ],
  })
  return panel(title, table, { flush: true })
}

export type TypedEntry = TypedNumber & { readonly name: string }

/** The form of a new entry. */
export function newEntryView(request: Request, typed: TypedEntry, errors: readonly FieldError[]): ScreenView {
  const { say, at } = request
  const title = say(['Ajouter au carnet', 'Add to the address book'])
  const later = say([
    'Rien ne part. Le premier envoi vers un nouveau numéro est signalé à la personne qui l’approuve.',
    'Nothing leaves. The first payout to a new number is pointed out to the person who approves it.',
  ])
  const content = html`<div class="stack"><h1>${title}</h1>${field(
    {
      name: 'name',
      label: say(['Nom', 'Name']),
      hint: say(['Comme vous l’appelez. Nous ne le vérifions pas ici.', 'As you call them. We do not check it here.']),
      value: typed.name,
      more: { maxlength: '200', autocomplete: 'off' },
    },
    errors,
  )}${numberFields(
    say,
    typed,
    {
      hint: say(['Dix chiffres, comme 07 00 00 00 00.', 'Ten digits, such as 07 00 00 00 00.']),
      none: say(['Choisissez', 'Choose']),
    },
    errors,
  )}</div><div><button class="wide">${say(['Ajouter', 'Add'])}</button><p class="hint gap">${later}</p></div>`
  const back = backLink(at('/beneficiaries'), say(['Carnet', 'Address book']))
  const slip = form(request, at('/beneficiaries'), content, { class: 'slip' })
  const main = html`${back}<div class="narrow wider">${errorList(say, errors)}${slip}</div>`
  return { kind: 'view', status: errors.length === 0 ? 200 : 422, title, main, facts: { typed, errors } }
}

/** The way to the settlement destination, above the book. */
function destinationLink(request: Request, designated: NonNullable<BookFacts['designated']>): Html {
  const { say, at } = request
  const words = html`<b>${say(['Vos reversements vont à', 'Your settlements go to'])}</b> ${destinationWords(request, designated)}`
  const content = html`<span class="dot">${icon('bank')}</span><p>${words}, ${designated.name}</p>${icon('right')}`
  return html`<a class="toast" href="${at('/destination')}">${content}</a>`
}

function archiveForm(request: Request, id: string): Html {
  const { say, at } = request
  const text = say([
    'Plus aucun nouvel envoi n’y part. Ceux qui sont en route continuent, et le même numéro peut être ajouté de nouveau.',
    'No new payout goes there any more. Those under way go on, and the same number can be added anew.',
  ])
  const button = html`<button class="stop">${say(['Archiver', 'Archive'])}</button>`
  return form(request, at(`/beneficiaries/${id}/archive`), html`<p>${text}</p><p class="acts">${button}</p>`)
}
