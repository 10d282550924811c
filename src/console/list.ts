import { type Html, html, type Piece } from '../platform/http/html.ts'
import { groupDigits } from '../values/group-digits.ts'
import { note } from './components.ts'
import { hiddenField } from './forms.ts'
import { icon } from './icons.ts'
import type { ScreenQuery } from './read-query.ts'
import type { Say, Words } from './say.ts'

export type Column<Row> = {
  readonly title: string
  /**
   * `k`: the name of the row (one in each list, with the link), `s`: state, `t`: time, `m`: the amount of the row, `n`: another number,
   * `w`: only on a wide screen; empty: a plain cell.
   */
  readonly kind: 'k' | 's' | 't' | 'm' | 'n' | 'w' | ''
  /** The label on a card, if the content does not explain itself. */
  readonly label?: string
  /** For `k`: it takes the whole width of a card, in a list without amounts. */
  readonly all?: true
  readonly cell: (row: Row) => Piece
}

/**
 * A list: a table on a wide screen and cards on a phone, with the same rows for a screen reader. `few`: up to four columns.
 * The `k` cell begins with `rowLink`, whose link covers the row.
 */
export function list<Row>(options: {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  size?: 'few' | 'many'
}): Html {
  const { caption, columns, rows, size = 'many' } = options
  const head = columns.map(({ title, kind }) => {
    const style = headStyle(kind)
    return html`<th role="columnheader" scope="col"${style !== '' && html` class="${style}"`}>${title}</th>`
  })
  return html`<table class="list cards ${size}" role="table">
<caption class="sr">${caption}</caption>
<thead role="rowgroup"><tr role="row">${head}</tr></thead>
<tbody role="rowgroup">
${rows.map((row) => html`<tr role="row">${columns.map((column) => drawCell(column, row))}</tr>\n`)}</tbody>
</table>`
}

function headStyle(kind: Column<never>['kind']): 'w' | 'n' | '' {
  if (kind === 'w') return 'w'
  return kind === 'm' || kind === 'n' ? 'n' : ''
}

function drawCell<Row>({ kind, label, all, cell }: Column<Row>, row: Row): Html {
  if (kind === 'k') return html`<th role="rowheader" scope="row" class="k${all && ' all'}">${cell(row)}</th>`
  const classes = kind === 'm' ? 'm n' : kind
  const style = classes !== '' && html` class="${classes}"`
  const labelled = label !== undefined && html` data-l="${label}"`
  return html`<td role="cell"${style}${labelled}>${cell(row)}</td>`
}

/** The first cell of a row: its link, and a line below. */
export function rowLink(to: string, text: Piece, under?: Piece): Html {
  return html`<a class="row" href="${to}">${text}</a>${under && html`<span class="sub">${under}</span>`}`
}

/** A cell with francs. Sighted readers find the currency in the head of the column. */
export function moneyCell(francs: number): Html {
  const figures = groupDigits(francs)
  return html`${figures}<span class="u"> F\u00a0CFA</span>`
}

const inAge: readonly [newer: Words, older: Words] = [
  ['Plus récents', 'Newer'],
  ['Plus anciens', 'Older'],
]

/**
 * The links to older and newer rows, without a count. Null: no such page.
 * @param words the texts for a list that is not in the order of age
 */
export function pages(
  say: Say,
  { newer, older }: { newer: string | null; older: string | null },
  words: readonly [newer: Words, older: Words] = inAge,
): Html {
  if (newer === null && older === null) return html``
  const prev = newer !== null && html`<a href="${newer}" rel="prev">${say(words[0])}</a>`
  const next = older !== null && html`<a href="${older}" rel="next">${say(words[1])}</a>`
  return html`<nav class="pages" aria-label="${say(['Pages', 'Pages'])}">${prev}${next}</nav>`
}

export type Tab = { readonly words: Words; readonly to: string; readonly current: boolean; readonly count?: number }

/** The tabs of a list, one for each state. */
export function tabs(say: Say, label: Words, items: readonly Tab[]): Html {
  const links = items.map(({ words, to, current, count }) => {
    const counted = count !== undefined && html` <small>${count}</small>`
    return html`<a href="${to}"${current && html` aria-current="page"`}>${say(words)}${counted}</a>`
  })
  return html`<nav class="tabs" aria-label="${say(label)}">${links}</nav>`
}

/** Returns the address of a list or of its file with its filters, without empty ones. */
export function filteredAddress(path: string, filters: Readonly<Record<string, string | undefined>>): string {
  const filled = Object.entries(filters).filter((one): one is [string, string] => one[1] !== undefined && one[1] !== '')
  return filled.length === 0 ? path : `${path}?${new URLSearchParams(filled)}`
}

/**
 * Returns the typed filters of an address that cannot be read, as they were typed.
 * @param chosen the filters as they were read, each empty when its value counts as absent
 */
export function unreadFilters(
  { query }: { readonly query: ScreenQuery },
  chosen: Readonly<Record<string, string>>,
): string[] {
  const absent = Object.keys(chosen).filter((name) => chosen[name] === '')
  return absent.flatMap((name) => query.get(name)?.trim() || [])
}

/** Says which typed filters are not applied; nothing when all are. */
export function leftOut(say: Say, typed: readonly string[]): Html {
  if (typed.length === 0) return html``
  const words = say(
    ['Filtre mis de côté, car il ne se lit pas : {typed}', 'Filter left out, because it cannot be read: {typed}'],
    { typed: typed.join(', ') },
  )
  return note('care', null, words)
}

/**
 * The filters of a list, as a GET form, so that the address contains them.
 * @param sealedAt the address of the list's `hiddenSearch`, to which its form posts instead
 */
export function filters(
  say: Say,
  summary: string,
  fields: Piece,
  hidden: Readonly<Record<string, string>> = {},
  sealedAt: string | null = null,
): Html {
  const kept = Object.entries(hidden).map(([name, value]) => hiddenField(name, value))
  const sent = sealedAt === null ? html`method="get"` : html`method="post" action="${sealedAt}"`
  const button = html`<button class="second">${say(['Filtrer', 'Filter'])}</button>`
  return html`<details class="filters"><summary>${summary}</summary>
<form ${sent} class="inline">${kept}${fields}${button}</form></details>`
}

/** The active filters, each with a link that removes it, and the exports. @param exportTo the address of a file; null: none */
export function chips(
  say: Say,
  on: readonly { readonly text: string; readonly without: string }[],
  exportTo: ((format: 'csv' | 'xlsx') => string) | null,
): Html {
  if (on.length === 0 && exportTo === null) return html``
  const remove = html`<span class="sr">${say(['Retirer le filtre ', 'Remove the filter '])}</span>`
  const links = on.map(({ text, without }) => html`<a href="${without}"><span>${remove}${text}</span>${icon('x')}</a>`)
  return html`<p class="chips">${links}${exportTo !== null && exportLinks(say, exportTo)}</p>`
}

function exportLinks(say: Say, exportTo: (format: 'csv' | 'xlsx') => string): Html {
  const csv = html`${icon('down')}<span class="sr">${say(['Exporter cette liste en ', 'Export this list as '])}</span>CSV`
  const xlsx = html`<span class="sr">${say(['Exporter cette liste pour ', 'Export this list for '])}</span>Excel`
  return html`<span class="export"><a href="${exportTo('csv')}">${csv}</a><a href="${exportTo('xlsx')}">${xlsx}</a></span>`
}
