import type { BatchDraft } from '../../batch-files/batch-draft.ts'
import { readDraft } from '../../batch-files/store.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { looksLikeId } from '../../values/ids.ts'

type Request = ScreenRequest<'console'>

export function draftIdIn({ params }: Request): string | null {
  const { draft = '' } = params
  return looksLikeId('pbd', draft) ? draft : null
}

/** The draft of the address; null: it is not this merchant's, not of this mode, or has lapsed. */
export async function findDraft(request: Request, sql: Db): Promise<BatchDraft | null> {
  const draft_id = draftIdIn(request)
  return draft_id === null ? null : readDraft(sql, { ...request.tenant, draft_id })
}

/** The version of the draft that the page of a form showed; 0: none is named, which is of no draft. */
export function versionIn({ fields, query }: Request): number {
  const version = Number(fields.text('version') || query.get('version'))
  return Number.isSafeInteger(version) ? version : 0
}
