/** A part of a list that is wanted: so many, and after this one, the last of the page before. Null: from the beginning. */
export type PageWanted = { readonly limit: number; readonly after: string | null }

/** A part of a list. `after` asks for the next one; null: there is none. */
export type Page<Row> = { readonly rows: Row[]; readonly after: string | null }

/** A page out of rows that were read with one more than it may have, which tells whether another page follows. */
export function pageOf<Row>(rows: readonly Row[], limit: number, nameOf: (row: Row) => string): Page<Row> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { rows: shown, after: rows.length > limit && last !== undefined ? nameOf(last) : null }
}
