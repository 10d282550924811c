import type { Page, PageWanted } from '../values/page.ts'

/** The fields of a line in the order of the columns. Amounts are numbers, all else is text. */
export type Row = readonly (string | number)[]

/** The number of rows in one read. A file holds two pages in memory; larger pages are not faster. */
const PAGE = 500

/** The columns of a file by title, each with its value for a row of the list. */
export type ListColumns<Listed> = Readonly<Record<string, (one: Listed) => string | number>>

/** Yields all rows of a list for a file, and reads each next page while the caller writes the previous one. @param read reads the page after a cursor */
export async function* rowsOfList<Listed>(
  columns: ListColumns<Listed>,
  read: (page: PageWanted) => Promise<Page<Listed>>,
): AsyncGenerator<Row[]> {
  const values = Object.values(columns)
  const readAfter = (after: string | null) => read({ limit: PAGE, after })
  let next: Promise<Page<Listed>> | null = readAfter(null)
  while (next !== null) {
    const page: Page<Listed> = await next
    next = page.after === null ? null : readAfter(page.after)
    // If the reader stops now, nobody awaits the next page.
    next?.catch(() => {})
    if (page.rows.length > 0) yield page.rows.map((one) => values.map((value) => value(one)))
  }
}
