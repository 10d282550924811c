import { recordAct } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { type Tenant, tenantOf } from '../values/caller.ts'
import type { AssignedColumns } from './batch-draft.ts'
import { type FileTable, headerOf, widestTitles } from './file-table.ts'
import { guessColumns } from './guess-columns.ts'
import { headerDigest, tellsApart } from './read-columns.ts'
import { type FileRefusal, linesByPerson, readTable } from './read-file.ts'
import * as store from './store.ts'

/** The most headers for which a merchant's columns are kept. Those assigned longest ago are deleted. */
const HEADERS_MAX = 100

export type AssignColumnsResult =
  | { kind: 'assigned' }
  /** `gone`: the draft does not exist, has no file, or became a batch. `changed`: its version is not the one that the person saw. */
  | { kind: 'refused'; refusal: { code: 'gone' | 'changed' } | FileRefusal }

/**
 * Reads the file of a draft again by the columns that a person assigned, and keeps them for the next file with the same titles. Earlier
 * corrections of the lines are lost. @param sheet the sheet of a workbook that the person saw; null: the open one
 */
export async function assignColumns(
  sql: Sql,
  seen: store.SeenDraft,
  named: Pick<AssignedColumns, 'titles' | 'at'>,
  actor: Actor,
  sheet: string | null,
): Promise<AssignColumnsResult> {
  const table = await readDraftTable(sql, seen, sheet)
  if (table === null) return { kind: 'refused', refusal: { code: 'gone' } }
  const columns = { ...named, assigned_by: actor.person }
  const read = linesByPerson(table, columns)
  if (read.kind === 'refused') return read
  return sql.begin(async (tx): Promise<AssignColumnsResult> => {
    const draft = await store.lockDraft(tx, seen)
    if (draft === null) return { kind: 'refused', refusal: { code: 'gone' } }
    if (draft.version !== seen.version) return { kind: 'refused', refusal: { code: 'changed' } }
    const tenant = tenantOf(seen)
    await store.updateLines(tx, seen, read.lines, read.reading)
    const header_sha256 = digestOf(table, named.titles)
    await store.rememberColumns(
      tx,
      { ...tenant, header_sha256, columns: named.at, assigned_by: actor.person },
      HEADERS_MAX,
    )
    recordAct(tx, tenant, { actor, act: 'batch_columns.assign', subject: seen.draft_id, after: named })
    return { kind: 'assigned' }
  })
}

/** Reads the file of a draft as a table. Null when it has none. @param sheet the sheet of a workbook that a person chose; null: the open one */
export async function readDraftTable(sql: Sql, key: store.DraftKey, sheet: string | null): Promise<FileTable | null> {
  const file = await store.readFileContent(sql, key)
  const read = file === null ? null : await readTable(file.file_content, sheet)
  return read?.kind === 'table' ? read.table : null
}

/** Finds the columns that a person assigned earlier for these titles. Null when there are none, or the titles are not unique. */
export async function recallColumns(sql: Sql, tenant: Tenant, table: FileTable): Promise<AssignedColumns | null> {
  const known = await recall(sql, tenant, table, true)
  return known !== null && tellsApart(headerOf(table), known.at) ? known : null
}

/**
 * Proposes the columns of a file to a person. For a file without titles these are the columns of the last file of the same width. A person
 * always confirms them, because the file cannot.
 */
export async function proposeColumns(
  sql: Sql,
  tenant: Tenant,
  table: FileTable,
): Promise<Pick<AssignedColumns, 'titles' | 'at'>> {
  const guessed = guessColumns(table)
  return (guessed.titles ? null : await recall(sql, tenant, table, false)) ?? guessed
}

async function recall(sql: Sql, tenant: Tenant, table: FileTable, titles: boolean): Promise<AssignedColumns | null> {
  const header_sha256 = digestOf(table, titles)
  const known = await store.findColumns(sql, { ...tenant, header_sha256 })
  return known === null ? null : { titles, at: known.columns, assigned_by: known.assigned_by }
}

function digestOf(table: FileTable, titles: boolean): Buffer {
  return headerDigest(titles ? headerOf(table) : widestTitles(table), titles)
}
