import { hash } from 'node:crypto'
import type { Db } from '../../platform/postgres/database.ts'
import { newId } from '../../values/ids.ts'
import type { Settings } from './connector-settings.ts'
import { type DraftRow, deleteDraft, insertDraft, selectDraft } from './draft-store.ts'
import type { Surroundings } from './open-connector.ts'

/** A change of settings as a person typed it: a setting that is in neither list stays as it is. */
export type SettingsChange = {
  readonly put: Settings
  readonly drop: readonly string[]
  /** The generation that the person looked at; null: the contract is new. Another one in force refuses the change. */
  readonly on: number | null
}

/** A contract with the change that waits for it. */
export type SettingsDraft = {
  readonly name: string
  readonly type: string
  readonly livemode: boolean
  readonly change: SettingsChange
}

/**
 * A draft that is kept. `digest`: SHA-256 of its sealed bytes, to be signed in place of the secrets: no other draft has it, and it tells
 * nothing of them.
 */
export type KeptDraft = SettingsDraft & { readonly draft_id: string; readonly digest: string }

type DraftKey = Pick<DraftRow, 'draft_id' | 'session_id'>
type Deps = { readonly sql: Db; readonly surroundings: Surroundings }

/**
 * Keeps a change while its person is asked for a fresh factor. It waits sealed in a row instead of in the page of that question, so that
 * a secret travels once, from the form to us, and no page, history or log has it
 * (docs/decisions/archive/0108-settings-wait-sealed-for-a-fresh-factor.md).
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

/** The draft of a session; null when it is another's, was carried out, or waited too long. */
export async function readDraft({ sql, surroundings: { box } }: Deps, key: DraftKey): Promise<KeptDraft | null> {
  const row = await selectDraft(sql, key)
  if (row === null) return null
  return kept(JSON.parse(box.openDraft(row, row.draft_sealed)) as SettingsDraft, row, row.draft_sealed)
}

/** Takes a draft to carry it out: nothing of it is left, whether that succeeds or not. Null like `readDraft`. */
export async function takeDraft(deps: Deps, key: DraftKey): Promise<KeptDraft | null> {
  const draft = await readDraft(deps, key)
  return draft !== null && (await deleteDraft(deps.sql, key)) ? draft : null
}

function kept(draft: SettingsDraft, { draft_id }: DraftKey, sealed: Uint8Array): KeptDraft {
  return { ...draft, draft_id, digest: hash('sha256', sealed, 'hex') }
}
