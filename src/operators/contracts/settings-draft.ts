import { hash } from 'node:crypto'
import type { Db } from '../../platform/postgres/database.ts'
import { newId } from '../../values/ids.ts'
import type { Settings } from './connector-settings.ts'
import { type DraftRow, deleteDraft, insertDraft, selectDraft } from './draft-store.ts'
import type { Surroundings } from './open-connector.ts'

/** A change of settings as a person typed it. A setting in neither list stays unchanged. */
export type SettingsChange = {
  readonly put: Settings
  readonly drop: readonly string[]
  /** The generation that the person saw. Null for a new contract. The change is refused if another generation is in force. */
  readonly on: number | null
}

/** A contract with its pending change. */
export type SettingsDraft = {
  readonly name: string
  readonly type: string
  readonly livemode: boolean
  readonly change: SettingsChange
}

/**
 * A stored draft. `digest`: SHA-256 of its encrypted bytes. The person signs it in place of the secrets, because it identifies the draft
 * and reveals nothing.
 */
export type KeptDraft = SettingsDraft & { readonly draft_id: string; readonly digest: string }

type DraftKey = Pick<DraftRow, 'draft_id' | 'session_id'>
type Deps = { readonly sql: Db; readonly surroundings: Surroundings }

/**
 * Stores a change during the step-up of its person. It waits encrypted in a row and not in a page, so that a secret travels once, from the
 * form to us, and no page, history or log contains it.
 */
export async function keepDraft(
  { sql, surroundings: { box, now } }: Deps,
  session_id: string,
  draft: SettingsDraft,
): Promise<KeptDraft> {
  const key = { draft_id: newId('csd', now().getTime()), session_id }
  const draft_sealed = box.sealDraft(key, JSON.stringify(draft))
  await insertDraft(sql, { ...key, connector: draft.name, draft_sealed })
  return kept(draft, key, draft_sealed)
}

/** The draft of a session. Null if it belongs to another session, was used, or has lapsed. */
export async function readDraft({ sql, surroundings: { box } }: Deps, key: DraftKey): Promise<KeptDraft | null> {
  const row = await selectDraft(sql, key)
  if (row === null) return null
  return kept(JSON.parse(box.openDraft(row, row.draft_sealed)) as SettingsDraft, row, row.draft_sealed)
}

/** Deletes a draft that has done its work. */
export async function dropDraft(sql: Db, { draft_id }: Pick<KeptDraft, 'draft_id'>): Promise<void> {
  await deleteDraft(sql, draft_id)
}

function kept(draft: SettingsDraft, { draft_id }: DraftKey, sealed: Uint8Array): KeptDraft {
  return { ...draft, draft_id, digest: hash('sha256', sealed, 'hex') }
}
