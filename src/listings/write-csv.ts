import { csvLine } from '../platform/csv-line.ts'
import type { Row } from './export-columns.ts'

/**
 * Writes rows as CSV (RFC 4180, UTF-8), page by page. Text that looks like a formula stays text.
 * @param titles the titles of the columns
 */
export async function* writeCsv(
  titles: readonly string[],
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  yield csvLine(titles)
  for await (const page of pages) yield page.map(csvLine).join('')
}
