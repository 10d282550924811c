import type { Html, Piece } from '../../platform/http/html.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { type IdPrefix, looksLikeId } from '../../values/ids.ts'
import type { Words } from '../../values/language.ts'
import type { Page, PageWanted } from '../../values/page.ts'
import type { MerchantRight } from '../../values/rights.ts'
import type { IconName } from '../icons.ts'
import type { MenuPlace, ScreenRequest } from '../screen.ts'
import type { ListColumn } from './columns.ts'
import { type Chosen, choose, type Filter, type FilteredAt, type FilterField } from './filters.ts'

type Request = ScreenRequest<'console'>

/** The value of a column of a file. */
export type FileValue = string | number | Date | null

/**
 * A list of a merchant's rows, newest first: its page, its file and its command.
 * `Wanted`: the filters of its store. `Deps`: dependencies of `read` besides the database.
 */
export type List<Row, Wanted extends object, Deps> = {
  /** Its name in metrics and among the lists: `sessions`. */
  readonly name: string
  /** The name of its rows in the facts of the page and in the answer of the command. Absent: its own name. */
  readonly rows?: string
  /** The path of its page, with its file below: `/sessions`. */
  readonly path: string
  /** The right to read it. The file needs `exports.take` too. */
  readonly right: MerchantRight
  readonly title: Words
  readonly filters: readonly Filter<object>[]
  /** The words that open the form of the filters. */
  readonly filtered: Words
  /** The field of the address with the row after which a page begins, and whether a text can be that row. */
  readonly cursor: Cursor
  readonly read: (db: Db, tenant: Tenant, wanted: Wanted, page: PageWanted, deps: Deps) => Promise<Page<Row>>
  /** The first one is the name of the row, with the link to its page. Empty: the page gives its own to `drawList`. */
  readonly columns: readonly ListColumn<Row>[]
  /** `few`: the table has the width of few columns. */
  readonly size: 'few' | 'many'
  /** In place of an empty table. */
  readonly none: { readonly icon: IconName; readonly title: Words; readonly text?: Words }
  /** The columns of the file, each with its value. */
  readonly file: Readonly<Record<string, (row: Row) => FileValue>>
  /** The words of the codes of such a column. The file has them in a column of their own before it; a code without words stays. */
  readonly worded?: Readonly<Record<string, Readonly<Record<string, Words>>>>
}

/** The parts of a page that is a list and nothing else. */
export type ListPage<Row> = {
  readonly summary: string
  readonly menu?: MenuPlace
  readonly lead?: (request: Request) => Piece
  /** A note above the list, read with it. An open page then looks again by itself. */
  readonly note?: (request: Request, db: Db) => Promise<Html>
  /** A button for the rows that the filters match. */
  readonly acts?: (request: Request, chosen: Chosen, rows: readonly Row[]) => Html | false
  /** The sum of what the filters choose, above the rows, with its facts. Null: there is none. */
  readonly sum?: (
    request: Request,
    db: Db,
    read: ReadList<Row>,
    today: string,
  ) => Promise<{ readonly drawn: Html; readonly facts: object } | null>
  /** Whether the page renews itself with these rows. */
  readonly moves?: (request: Request, rows: readonly Row[]) => boolean | 'open'
}

/** A page of a list as its address names it. */
export type ReadList<Row> = {
  readonly chosen: Chosen
  readonly page: Page<Row>
  /** Whether the page begins after a row, so that newer ones precede it. */
  readonly is_later: boolean
}

export type Cursor = { readonly field: 'starting_after' | 'after'; readonly reads: (text: string) => boolean }

/** The cursor of a list whose rows have identifiers of ours. */
export function byId(field: Cursor['field'], prefix: IdPrefix): Cursor {
  return { field, reads: (text) => looksLikeId(prefix, text) }
}

// biome-ignore lint/suspicious/noExplicitAny: the doors serve every list.
export type AnyList<Row = any> = List<Row, any, any>

type PartIn<Some> = Some extends Filter<infer Part> ? Part : never
type Together<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All & object
  : never

/** Declares a list. The compiler checks that its filters together are those of its store. */
export function defineList<Row, const Filters extends readonly Filter<object>[], Deps = unknown>(
  list: Omit<List<Row, Together<PartIn<Filters[number]>>, Deps>, 'filters'> & { readonly filters: Filters },
): List<Row, Together<PartIn<Filters[number]>>, Deps> {
  return list
}

/** The fields of a list's filters, in their order. */
export function fieldsOf({ filters }: Pick<AnyList, 'filters'>): readonly FilterField[] {
  return filters.flatMap(({ fields }) => fields)
}

/** Reads the filters of a list in an address. One that cannot be read is empty. */
export function chosenIn(list: Pick<AnyList, 'filters'>, { query }: Pick<Request, 'query'>): Chosen {
  return choose(fieldsOf(list), (name) => query.get(name))
}

/** Converts the filters to those of the store. */
export async function wantedOf<Row, Wanted extends object, Deps>(
  { filters }: List<Row, Wanted, Deps>,
  chosen: Chosen,
  at: FilteredAt,
): Promise<Wanted> {
  const parts = await Promise.all(filters.map(({ part }) => part(chosen, at)))
  return Object.assign({}, ...parts) as Wanted
}
