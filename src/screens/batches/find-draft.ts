import type { BatchDraft } from '../../batch-files/batch-draft.ts'
import { readDraft } from '../../batch-files/store.ts'
import type { ScreenRequest } from '../../console/screen.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { looksLikeId } from '../../values/ids.ts'

type Request = ScreenRequest<'console'>

/** Reads the draft's id from the path. Null when it is none. */
export function draftIdIn({ params }: Request): string | null {
  const { id = '' } = params
  return looksLikeId('pbd', id) ? id : null
}

/** Finds the draft of the address. Null when it is not this merchant's, not of this mode, or lapsed. */
export async function findDraft(request: Request, sql: Db): Promise<BatchDraft | null> {
  const draft_id = draftIdIn(request)
  return draft_id === null ? null : readDraft(sql, { ...request.tenant, draft_id })
}

/** Reads the draft's version that the page of a form showed. 0, which no draft has, when the form has none. */
export function versionIn({ fields, query }: Request): number {
  const version = Number(fields.text('version') || query.get('version'))
  return Number.isSafeInteger(version) ? version : 0
}
