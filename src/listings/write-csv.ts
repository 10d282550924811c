import { csvLine } from '../platform/csv-line.ts'
import type { Row } from './export-columns.ts'

/**
 * Rows as CSV (RFC 4180, UTF-8), a page at a time. Text that a spreadsheet would take for a formula stays text.
 * @param titles of the columns
 */
export async function* writeCsv(
  titles: readonly string[],
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  yield csvLine(titles)
  for await (const page of pages) yield page.map(csvLine).join('')
}
