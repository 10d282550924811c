import { type Html, html } from '../../platform/http/html.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { blank, linkButton } from '../components.ts'
import { field, select } from '../forms.ts'
import {
  type Column,
  chips as drawChips,
  filters as drawForm,
  list as drawTable,
  filteredAddress,
  leftOut,
  pages,
  tabs,
  unreadFilters,
} from '../list.ts'
import { type Say, sayWords } from '../say.ts'
import type { ScreenRequest } from '../screen.ts'
import type { Names } from './columns.ts'
import { type AnyList, chosenIn, fieldsOf, type List, type ReadList, wantedOf } from './define-list.ts'
import type { Chosen, FilterField } from './filters.ts'
import { namedPeriods, periodNamed } from './periods.ts'

type Request = ScreenRequest<'console'>

/** The most rows of a page. */
const PAGE = 50

/** Reads the page of a list that the address names. */
export async function readList<Row, Wanted extends object, Deps>(
  list: List<Row, Wanted, Deps>,
  { query, tenant }: Request,
  db: Db,
  deps: Deps,
): Promise<ReadList<Row>> {
  const chosen = chosenIn(list, { query })
  const typed = query.get(list.cursor.field) ?? ''
  const after = list.cursor.reads(typed) ? typed : null
  const wanted = await wantedOf(list, chosen, { db, tenant })
  const page = await list.read(db, tenant, wanted, { limit: PAGE, after }, deps)
  return { chosen, page, is_later: after !== null }
}

/** The parts of a list, for its page to arrange. Empty: nothing to draw. */
export type ListParts = {
  readonly tabs: Html
  readonly filters: Html
  /** The filters that are not applied, those that are, and the links to the file. */
  readonly chips: Html
  /** The table, or words in its place. */
  readonly rows: Html
  /** The links to newer and older rows. */
  readonly turns: Html
}

/** The parts that a page adds to the declaration of its list. */
export type OwnParts<Row> = {
  /** In place of the declared columns. */
  readonly columns?: readonly Column<Row>[]
  /** A filter of resources offers these. */
  readonly names?: Names
  /** The part of the page with the list, for the links within it. */
  readonly anchor?: string
  /** The day in Abidjan, `YYYY-MM-DD`, for a list of days that offers periods by name. Absent: it offers none. */
  readonly today?: string
}

/** Draws a list: its states, its filters, its rows, and the links to the file of exactly these rows. */
export function drawList<Row>(
  request: Request,
  list: AnyList<Row>,
  { chosen, page, is_later }: ReadList<Row>,
  own: OwnParts<Row> = {},
): ListParts {
  const { names = {} } = own
  const { say, at, can } = request
  const path = at(list.path)
  const { cursor } = list
  const address = (changed: Chosen) => {
    const to = filteredAddress(path, { ...chosen, ...changed })
    return own.anchor === undefined ? to : `${to}#${own.anchor}`
  }
  const { today } = own
  const named = today === undefined ? null : periodNamed(today, chosen)
  const on = fieldsOf(list).flatMap(({ name, chip }) => {
    const text = chosen[name]!
    // The tab of a named period says it.
    if (text === '' || (named !== null && (name === 'from' || name === 'to'))) return []
    return [{ text: names[name]?.get(text) ?? chip(say, text), without: address({ [name]: '' }) }]
  })
  const fileAt = (format: string) => filteredAddress(`${path}/export`, { ...chosen, format })
  const hasFile = can('exports.take') && page.rows.length > 0
  const columns = own.columns ?? list.columns.map((column) => column(request, names))
  const periods = today !== undefined && 'from' in chosen && periodTabs(say, today, chosen, address)
  return {
    tabs: html`${periods}${fieldsOf(list).map((one) => drawTabs(say, one, chosen, address))}`,
    filters: drawFilters(say, list, chosen, names),
    chips: html`${leftOut(say, unreadFilters(request, chosen))}${drawChips(say, on, hasFile ? fileAt : null)}`,
    rows:
      page.rows.length > 0
        ? drawTable<Row>({ caption: say(list.title), size: list.size, rows: page.rows, columns })
        : emptyList(say, list, on.length > 0 || named !== null ? path : null),
    turns: pages(say, {
      newer: is_later ? address({}) : null,
      older: page.after === null ? null : address({ [cursor.field]: page.after }),
    }),
  }
}

/** The words in place of an empty table. @param all the address without filters; null: there are none */
function emptyList(say: Say, { none }: AnyList, all: string | null): Html {
  const title = say(none.title)
  if (all === null) return blank(none.icon, { title, ...(none.text !== undefined && { text: say(none.text) }) })
  return blank(none.icon, {
    title,
    text: say(['Retirez un filtre pour en voir plus.', 'Remove a filter to see more.']),
    acts: linkButton(all, say(['Tout voir', 'Show all']), 'second'),
  })
}

function drawFilters(say: Say, list: AnyList, chosen: Chosen, names: Names): Html {
  const fields = fieldsOf(list)
  const inForm = fields.filter(({ shown }) => shown.kind !== 'tabs' && shown.kind !== 'link')
  const others = fields.filter((one) => !inForm.includes(one) && chosen[one.name] !== '')
  const kept = Object.fromEntries(others.map(({ name }) => [name, chosen[name]!]))
  const drawn = inForm.map((one, nth) => {
    const input = drawField(say, one, chosen[one.name]!, names[one.name])
    return nth === 0 ? input : html`\n${input}`
  })
  return drawForm(say, say(list.filtered), drawn, kept)
}

function drawField(
  say: Say,
  { name, shown }: FilterField,
  value: string,
  names: ReadonlyMap<string, string> = new Map(),
): Html {
  switch (shown.kind) {
    case 'choice':
    case 'resource': {
      const offered =
        shown.kind === 'resource'
          ? [...names].map(([one, label]) => ({ value: one, label }))
          : Object.entries(shown.words).map(([one, words]) => ({ value: one, label: sayWords(say, words) }))
      const choices = [{ value: '', label: say(shown.all) }, ...offered]
      return select({ name, label: say(shown.label), value, choices })
    }
    case 'day':
      return field({ name, label: say(shown.label), type: 'date', value })
    case 'sum':
      return field({ name, label: say(shown.label), value, more: { inputmode: 'numeric' } })
    case 'text': {
      const { label, hint } = shown
      const more = { spellcheck: 'false', autocapitalize: 'none' }
      return field({ name, label: say(label), value, more, ...(hint !== undefined && { hint: say(hint) }) })
    }
    default:
      return html``
  }
}

function periodTabs(say: Say, today: string, chosen: Chosen, address: (changed: Chosen) => string): Html {
  const named = periodNamed(today, chosen)
  const all = {
    words: ['Tout', 'All'],
    to: address({ from: '', to: '' }),
    current: !chosen.from && !chosen.to,
  } as const
  const each = namedPeriods(today).map(({ words, from, to }) => {
    return { words, to: address({ from, to }), current: named?.words[1] === words[1] }
  })
  return html`${tabs(say, ['Période', 'Period'], [all, ...each])}\n`
}

function drawTabs(
  say: Say,
  { name, shown }: FilterField,
  chosen: Chosen,
  address: (changed: Chosen) => string,
): Html | '' {
  if (shown.kind !== 'tabs') return ''
  const { lone } = shown
  const tabOf = (value: string, words: AnyList['title']) => ({
    words,
    to: address({
      [name]: value,
      ...(lone !== undefined && !['', lone.state].includes(value) && { [lone.field]: '' }),
    }),
    current: chosen[name] === value,
  })
  const each = Object.entries(shown.words).map(([value, words]) => tabOf(value, words))
  return html`${tabs(say, shown.label, [tabOf('', shown.all), ...each])}\n`
}
