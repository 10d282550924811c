import type { Db } from '../platform/postgres/database.ts'
import { updateActive } from './store.ts'

export type ActiveSet = { kind: 'changed' } | { kind: 'refused'; code: 'resource_not_found' }

/** Lets a merchant operate, or only read. It takes effect within a second everywhere. */
export async function setActive(db: Db, merchantId: number, active: boolean): Promise<ActiveSet> {
  const found = await updateActive(db, merchantId, active)
  return found ? { kind: 'changed' } : { kind: 'refused', code: 'resource_not_found' }
}
