import { isSecondPerson, readBeginners } from '../acts/second-person.ts'
import type { Db } from '../platform/postgres/database.ts'
import { rolesWith } from '../values/rights.ts'
import * as store from './directory-store.ts'
import { hasShutOutOwner } from './former-owners.ts'

export type { WaitingRole } from './directory-store.ts'

/** The most roles that are shown together, the oldest. */
const SHOWN_MAX = 100

/** The most roles that are looked at for one list. */
const READ_MAX = 500

/**
 * Finds the roles that wait for this administrator's confirmation, oldest first: roles in the staff, and those at a merchant that nobody there
 * can confirm. Another administrator confirms those that this one granted or holds, those of people whom this one let in, and those at a merchant where
 * this one shut an owner out.
 */
export async function findWaitingRoles(db: Db, administrator: string): Promise<store.WaitingRole[]> {
  const roles = await store.readWaitingRoles(db, rolesWith('team.confirm'))
  const waiting: store.WaitingRole[] = []
  for (const role of roles.slice(0, READ_MAX)) {
    if (waiting.length === SHOWN_MAX) break
    if (isSecondPerson(await readBeginners(db, [role.granted_by, role.email]), administrator)) waiting.push(role)
  }
  const ofOthers = new Set<number>()
  for (const merchant_id of new Set(waiting.map((role) => role.merchant_id)))
    if (await hasShutOutOwner(db, merchant_id, administrator)) ofOthers.add(merchant_id)
  return waiting.filter(({ merchant_id }) => !ofOthers.has(merchant_id))
}
