import { recordAct } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import type { RoleKey } from './confirm-role.ts'
import { isLastToAct, keeperRole } from './last-to-act.ts'
import { notify } from './notices/notify.ts'
import { STAFF } from './person.ts'
import { endSessionsOfPerson } from './sessions/end-session.ts'
import * as store from './store.ts'

export type RoleRemoved = { kind: 'removed' } | { kind: 'refused'; code: 'resource_not_found' | 'last_of_role' }

/**
 * Removes a role, or refuses one that waits for its confirmation. The right is gone at the person's next request, and their sessions end,
 * unless they have a role elsewhere: a merchant can give a role to any address, and would otherwise sign anybody out at will. Refused: a
 * role that the person does not have, and the role of the last owner of a merchant or the last administrator who can sign in, after whom
 * nobody could invite anyone. The service disables such a person.
 */
export async function removeRole({ sql }: { sql: Sql }, key: RoleKey, by: Actor): Promise<RoleRemoved> {
  const { person_id, merchant_id } = key
  return sql.begin(async (tx): Promise<RoleRemoved> => {
    const person = await store.lockPerson(tx, { person_id })
    const roles = person === null ? [] : await store.readRoles(tx, person_id)
    const role = roles.find((one) => one.merchant_id === merchant_id && one.role === key.role)
    if (person === null || role === undefined) return { kind: 'refused', code: 'resource_not_found' }
    const isLast = role.role === keeperRole(merchant_id) && (await isLastToAct(tx, merchant_id, person_id))
    if (isLast) return { kind: 'refused', code: 'last_of_role' }
    await store.deleteRole(tx, role)
    const elsewhere = roles.some((one) => one.merchant_id !== merchant_id && !one.to_accept)
    if (!role.to_accept && (merchant_id === STAFF || !elsewhere))
      await endSessionsOfPerson(tx, person_id, 'rights_changed')
    const { email } = person
    const before = { role: role.role, granted_by: role.granted_by, confirmed_by: role.confirmed_by }
    recordAct(
      tx,
      { merchant_id, livemode: null },
      { actor: by, act: 'person.remove_role', subject: person_id, before, after: { email } },
    )
    const about = { merchant_id, livemode: null }
    // Before the first sign-in there is nobody whom the mail would tell.
    if (person.status === 'active' && !role.to_accept)
      notify(tx, { name: 'role_removed', about, to: [email], facts: { role: role.role } })
    return { kind: 'removed' }
  })
}
