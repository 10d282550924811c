import { assignColumns, proposeColumns, readDraftTable } from '../../batch-files/assign-columns.ts'
import { type AssignedColumns, type BatchDraft, type DraftColumn, draftColumns } from '../../batch-files/batch-draft.ts'
import { type FileTable, widestTitles } from '../../batch-files/file-table.ts'
import { absent, defineConsoleScreen, moved, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { type ColumnsRefused, columnsView } from './columns-view.ts'
import { findDraft, versionIn } from './find-draft.ts'

type Request = ScreenRequest<'console'>
type Deps = { readonly sql: Sql }
type Named = Pick<AssignedColumns, 'titles' | 'at'>

const common = { right: 'payouts.make', path: '/batches/drafts/:id/columns' } as const

const showColumns = defineConsoleScreen({
  ...common,
  method: 'GET',
  query: ['sheet'],
  operation: 'showBatchColumns',
  summary: 'The first lines of a file, and what each of its columns is',
  async handle(request, { sql }: Deps) {
    const found = await findFile(request, sql)
    if (found === null) return absent
    const { draft, table } = found
    if (draft.batch_id !== null) return moved(request.at(`/batches/${draft.batch_id}`))
    const { columns } = draft.reading
    const isSame = table.reading.sheet === draft.reading.sheet
    const named = typeof columns === 'object' && isSame ? columns : await proposeColumns(sql, request.tenant, table)
    return columnsView(request, { draft, table, named })
  },
})

const assign = defineConsoleScreen({
  ...common,
  method: 'POST',
  operation: 'assignBatchColumns',
  summary: 'Read the file of a draft by the columns that a person names',
  async handle(request, { sql }: Deps): Promise<ScreenAnswer> {
    const found = await findFile(request, sql)
    if (found === null) return absent
    const { draft, table } = found
    const to = request.at(`/batches/drafts/${draft.id}`)
    const named = namedIn(request, table)
    const seen = { ...request.tenant, draft_id: draft.id, version: versionIn(request) }
    const result = await assignColumns(sql, seen, named, request.actor, table.reading.sheet ?? null)
    // A draft that became a batch meanwhile leads to that batch.
    if (result.kind === 'assigned' || result.refusal.code === 'gone') return moved(to)
    const now = (await findDraft(request, sql)) ?? draft
    return columnsView(request, { draft: now, table, named, refused: result.refusal as ColumnsRefused })
  },
})

/** The screens on which a person assigns the columns of a file. */
export const columnsScreens = [showColumns, assign] as const

/**
 * Finds the draft of the address and its file, of a workbook the sheet that the address or the form names, otherwise the one of the draft. Null
 * when it has no file, such as a draft of failed lines.
 */
async function findFile(request: Request, sql: Sql): Promise<{ draft: BatchDraft; table: FileTable } | null> {
  const draft = await findDraft(request, sql)
  const sheet = request.fields.text('sheet') || request.query.get('sheet') || (draft?.reading.sheet ?? null)
  const table = draft === null ? null : await readDraftTable(sql, { ...request.tenant, draft_id: draft.id }, sheet)
  return draft === null || table === null ? null : { draft, table }
}

/** Reads each column from the form. An unknown word leaves its column out. */
function namedIn({ fields }: Request, table: FileTable): Named {
  const columnOf = (text: string): DraftColumn | null => draftColumns.find((column) => column === text) ?? null
  const at = widestTitles(table).map((_, place) => columnOf(fields.text(`column${place}`)))
  return { titles: fields.text('titles') !== 'no', at }
}
