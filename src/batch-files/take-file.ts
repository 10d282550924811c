import { recordAct } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { type DraftKey, readFileContent } from './store.ts'

/** Reads the file of a draft as it came, for a person to download, and records the act in the same transaction. Null when the draft has none. */
export function takeFile(
  sql: Sql,
  draft: DraftKey,
  by: Actor,
): Promise<{ file_name: string; file_content: Buffer } | null> {
  return sql.begin(async (tx) => {
    const kept = await readFileContent(tx, draft)
    if (kept === null) return null
    const after = { rows: kept.rows }
    recordAct(tx, draft, { actor: by, act: 'batch_file.take', subject: draft.draft_id, after })
    return kept
  })
}
