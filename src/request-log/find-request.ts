import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type LoggedRequest, readLogDays, readRequestOf } from './store.ts'

export type RequestFound = LoggedRequest | { kind: 'refused'; code: 'invalid_id' | 'resource_not_found' }

/**
 * Finds the call that was answered with this `Service-Request-Id`, day by day from the newest. Refused for a text that is no UUID, and for
 * an unknown id.
 * @param tenant null: of any merchant, which takes longer
 */
export async function findRequest(
  db: Db,
  { request_id, tenant }: { request_id: string; tenant: Tenant | null },
): Promise<RequestFound> {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(request_id)) return { kind: 'refused', code: 'invalid_id' }
  for (const day of await readLogDays(db)) {
    const found = await readRequestOf(db, { request_id, day, tenant })
    if (found !== null) return found
  }
  return { kind: 'refused', code: 'resource_not_found' }
}
