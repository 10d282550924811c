import type { Page, PageWanted } from '../values/page.ts'
import type { Row } from './export-columns.ts'

/** The number of rows in one read. */
const PAGE = 500

/** The columns of a file by title, each with its value for a row of the list. */
export type ListColumns<Listed> = Readonly<Record<string, (one: Listed) => string | number>>

/** Yields all rows of a list for a file, page by page. @param read reads the page after a cursor */
export async function* rowsOfList<Listed>(
  columns: ListColumns<Listed>,
  read: (page: PageWanted) => Promise<Page<Listed>>,
): AsyncGenerator<Row[]> {
  let after: string | null = null
  do {
    const page: Page<Listed> = await read({ limit: PAGE, after })
    if (page.rows.length > 0) yield page.rows.map((one) => Object.values(columns).map((value) => value(one)))
    after = page.after
  } while (after !== null)
}
