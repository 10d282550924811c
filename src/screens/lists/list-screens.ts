import { pageHead, panel } from '../../console/components.ts'
import { unreadFilters } from '../../console/list.ts'
import {
  type AnyList,
  chosenIn,
  type FileValue,
  fieldsOf,
  type List,
  type ListPage,
  type ReadList,
  wantedOf,
} from '../../console/lists/define-list.ts'
import { drawList, readList } from '../../console/lists/draw-list.ts'
import { codeHead, fileHeads } from '../../console/lists/file-heads.ts'
import { sayWords } from '../../console/say.ts'
import {
  defineConsoleScreen,
  type Screen,
  type ScreenAnswer,
  type ScreenRequest,
  type ScreenView,
} from '../../console/screen.ts'
import type { ExportFile } from '../../listings/export-file.ts'
import { type ListColumns, rowsOfList } from '../../listings/rows-of-list.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Html, html, type Piece } from '../../platform/http/html.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { exportAnswer, refuseFilters } from './file-answer.ts'

type Reads = { readonly reads: Db; readonly clock: Clock }
type Files = Reads & { readonly exportFile: ExportFile }

/** The page of a list, and its file. */
export function listScreens<Row, Wanted extends object, Deps>(list: List<Row, Wanted, Deps>, page: ListPage<Row>) {
  return [pageScreen(list, page), fileScreen(list)] as const
}

function pageScreen<Row, Wanted extends object, Deps>(
  list: List<Row, Wanted, Deps>,
  page: ListPage<Row>,
): Screen<Reads & Deps> {
  return defineConsoleScreen<Reads & Deps>({
    method: 'GET',
    path: list.path,
    query: [...fieldsOf(list).map(({ name }) => name), list.cursor.field],
    operation: `console${list.name[0]!.toUpperCase()}${list.name.slice(1)}`,
    summary: page.summary,
    right: list.right,
    ...(page.menu !== undefined && { menu: page.menu }),
    async handle(request, deps) {
      const [read, note] = await Promise.all([
        readList(list, request, deps.reads, deps),
        page.note?.(request, deps.reads) ?? null,
      ])
      const today = deps.clock.now().toISOString().slice(0, 10)
      const sum = (await page.sum?.(request, deps.reads, read, today)) ?? null
      return pageView(request, list, page, { ...read, note, sum, today })
    },
  })
}

function pageView<Row, Wanted extends object, Deps>(
  request: ScreenRequest<'console'>,
  list: List<Row, Wanted, Deps>,
  { lead, acts, moves }: ListPage<Row>,
  {
    note,
    sum,
    today,
    ...read
  }: ReadList<Row> & { note: Piece; sum: { drawn: Html; facts: object } | null; today: string },
): ScreenView {
  const { chosen, page } = read
  const title = request.say(list.title)
  const { tabs, filters, chips, rows, turns } = drawList(request, list, read, { today })
  const head = pageHead({
    title,
    lead: lead?.(request) ?? '',
    acts: acts?.(request, chosen, page.rows) ?? false,
  })
  const table = panel(null, html`${rows}${turns}`, { flush: true })
  const main = html`${head}${note}
${tabs}${filters}
${chips}
${sum === null ? table : html`<div class="stack">${sum.drawn}${table}</div>`}`
  const more = list.cursor.field === 'after' ? { after: page.after } : { has_more: page.after !== null }
  const facts = { chosen, [list.rows ?? list.name]: page.rows, ...more, ...(sum !== null && { sum: sum.facts }) }
  const moving = note !== null || (moves?.(request, page.rows) ?? false)
  return { kind: 'view', title, main, facts, moving }
}

/** The file of a list: all rows that its filters match, in the order of the list and as they were at the start. */
export function fileScreen<Row, Wanted extends object, Deps>(list: List<Row, Wanted, Deps>): Screen<Files & Deps> {
  const { name, path, right, title } = list
  return defineConsoleScreen<Files & Deps>({
    method: 'GET',
    path: `${path}/export`,
    query: [...fieldsOf(list).map((one) => one.name), 'format'],
    operation: `${name}Export`,
    summary: `${title[1]}: all rows that the filters match, as a file`,
    right: 'exports.take',
    takes_file: true,
    async handle(request, deps): Promise<ScreenAnswer> {
      const { tenant, can } = request
      if (!can(right)) return { kind: 'not_permitted', right }
      const chosen = chosenIn(list, request)
      if (unreadFilters(request, chosen).length > 0) return refuseFilters(request, path)
      const wanted = await wantedOf(list, chosen, { db: deps.reads, tenant })
      const columns = fileColumns(list, request)
      return exportAnswer(request, path, (asked) =>
        deps.exportFile({
          tenant,
          file: asked,
          titles: Object.keys(columns),
          pages: (tx) => rowsOfList(columns, (page) => list.read(tx, tenant, wanted, page, deps)),
        }),
      )
    },
  })
}

/** The columns of a file in the language of its reader, by their heads. A code has its words in a column of their own before it. */
export function fileColumns<Row>(
  { file, worded = {} }: Pick<AnyList<Row>, 'file' | 'worded'>,
  { say }: Pick<ScreenRequest<'console'>, 'say'>,
): ListColumns<Row> {
  const columns = Object.entries(file).flatMap(([column, value]) => {
    const head = sayWords(say, fileHeads[column] ?? [column, column])
    const code = (row: Row) => written(value(row))
    const words = worded[column]
    if (words === undefined) return [[head, code] as const]
    const inWords = (row: Row) => {
      const own = words[String(code(row))]
      return own === undefined ? code(row) : sayWords(say, own)
    }
    return [[head, inWords] as const, [sayWords(say, codeHead).replace('{head}', head), code] as const]
  })
  return Object.fromEntries(columns)
}

function written(value: FileValue): string | number {
  return value instanceof Date ? value.toISOString() : (value ?? '')
}
