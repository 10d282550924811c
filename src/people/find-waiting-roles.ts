import type { Db } from '../platform/postgres/database.ts'
import { isIndependentApprover } from '../values/independent-approver.ts'
import * as store from './directory-store.ts'
import { rolesWith } from './rights.ts'

export type { WaitingRole } from './directory-store.ts'

/** The most roles that are shown together, the oldest. */
const SHOWN_MAX = 100

/**
 * Finds the roles that wait for this administrator's confirmation, oldest first: roles in the staff, and those at a merchant that nobody there
 * can confirm. Those that the administrator granted or holds wait for another one.
 */
export async function findWaitingRoles(db: Db, administrator: string): Promise<store.WaitingRole[]> {
  const roles = await store.readWaitingRoles(db, rolesWith('team.confirm'))
  return roles
    .filter(({ granted_by, email }) =>
      [granted_by, email].every((other) => isIndependentApprover(other, administrator)),
    )
    .slice(0, SHOWN_MAX)
}
