import type { Db } from '../../platform/postgres/database.ts'

// Changes of settings that wait for a fresh factor.

/** Minutes for which a draft is valid: a step-up takes at most five, and a wrong code may repeat it. */
const DRAFT_MINUTES = 10

export type DraftRow = { draft_id: string; session_id: string; connector: string; draft_sealed: Buffer }

export async function insertDraft(db: Db, { draft_id, session_id, connector, draft_sealed }: DraftRow): Promise<void> {
  await db`
    insert into connector_drafts (draft_id, session_id, connector, draft_sealed, expires_at)
    values (${draft_id}, ${session_id}, ${connector}, ${draft_sealed}, clock_now() + make_interval(mins => ${DRAFT_MINUTES}))`
}

/** A valid draft of this session. Null if there is none, or if another session typed it. */
export async function selectDraft(
  db: Db,
  { draft_id, session_id }: Pick<DraftRow, 'draft_id' | 'session_id'>,
): Promise<DraftRow | null> {
  const [row] = await db<DraftRow[]>`
    select draft_id, session_id, connector, draft_sealed
      from connector_drafts
     where draft_id = ${draft_id} and session_id = ${session_id} and expires_at > clock_now()`
  return row ?? null
}

/** Deletes a draft. */
export async function deleteDraft(db: Db, draft_id: string): Promise<void> {
  await db`delete from connector_drafts where draft_id = ${draft_id}`
}
