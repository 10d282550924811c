import { spreadsheetLine, UTF8_MARK } from '../platform/csv-line.ts'
import type { Row } from './rows-of-list.ts'

/**
 * Writes rows as CSV (UTF-8 with its mark), page by page, as a spreadsheet opens it by a double click. Text that looks like a formula
 * or a number stays text.
 * @param titles the titles of the columns
 */
export async function* writeCsv(
  titles: readonly string[],
  pages: AsyncIterable<readonly Row[]>,
  separator: ',' | ';',
): AsyncGenerator<string> {
  yield UTF8_MARK + spreadsheetLine(titles, separator)
  for await (const page of pages) yield page.map((row) => spreadsheetLine(row, separator)).join('')
}
