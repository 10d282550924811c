import type { Page, PageWanted } from '../values/page.ts'
import type { Row } from './export-columns.ts'

/** Rows of a list read at a time. */
const PAGE = 500

/** The columns of a file by their titles, each with its value of one row of the list. */
export type ListColumns<Listed> = Readonly<Record<string, (one: Listed) => string | number>>

/** All rows of a list as a file has them, page by page. @param read one page, which begins after a cursor */
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
