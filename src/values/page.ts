/** A request for a page: at most `limit` rows, after the last one of the previous page. Null: the first page. */
export type PageWanted = { readonly limit: number; readonly after: string | null }

/** A page of a list. `after` asks for the next page. Null: there is none. */
export type Page<Row> = { readonly rows: Row[]; readonly after: string | null }

/** Makes a page from at most one row more than `limit`; that row shows that another page follows. */
export function pageOf<Row>(rows: readonly Row[], limit: number, nameOf: (row: Row) => string): Page<Row> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { rows: shown, after: rows.length > limit && last !== undefined ? nameOf(last) : null }
}
