import type { StatementExport } from './export-statement.ts'
import { viewStatement } from './statement.ts'

/**
 * Writes a statement as one JSON object, page by page: the object of the interface with all movements in `data`, without the fields of a
 * page.
 */
export async function* writeJson({ tenant, figures, movements }: StatementExport): AsyncGenerator<string> {
  const page = { livemode: tenant.livemode, limit: 0, offset: 0, data: [] }
  const { data, limit, offset, has_more, ...whole } = viewStatement(figures, page)
  // The object without its closing brace. The movements follow.
  yield `${JSON.stringify(whole).slice(0, -1)},"data":[`
  let before = ''
  for await (const movements_of_page of movements()) {
    yield before + movements_of_page.map((movement) => JSON.stringify(movement)).join(',')
    before = ','
  }
  yield ']}\n'
}
