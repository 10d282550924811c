import type { Tx } from '../platform/postgres/database.ts'
import { type Actor, isBreakGlass } from '../values/actor.ts'
import { canTeamConfirm } from './confirm-role.ts'
import { notify } from './notices/notify.ts'
import { type PersonRow, type RoleRow, STAFF } from './person.ts'

/**
 * Notifies the other administrators of a person's roles that wait for one of them: roles in the staff, and those at a merchant that nobody there
 * can confirm. A role from a break-glass command does not wait, and causes no notice.
 * @param roles those that wait for a second person
 * @param by the person who gave the roles, or the link for them
 */
export async function tellAdministrators(
  tx: Tx,
  { person_id, email }: Pick<PersonRow, 'person_id' | 'email'>,
  roles: readonly Pick<RoleRow, 'merchant_id' | 'role'>[],
  by: Actor,
): Promise<void> {
  if (isBreakGlass(by)) return
  const waiting: string[] = []
  for (const { merchant_id, role } of roles) {
    const own = { granted_by: by.person, email }
    if (merchant_id === STAFF || !(await canTeamConfirm(tx, merchant_id, own))) waiting.push(role)
  }
  if (waiting.length === 0) return
  const about = { merchant_id: STAFF, livemode: null }
  const facts = { role: waiting.join() }
  notify(tx, { name: 'role_waits', about, subject: person_id, except: [by.person, email], facts })
}
