import { recordAct } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { isIndependentApprover } from '../values/independent-approver.ts'
import { notify } from './notices/notify.ts'
import { counts } from './person.ts'
import * as store from './store.ts'

/** A role of a person at a merchant, or with `STAFF` in the staff. */
export type RoleKey = { person_id: string; merchant_id: number; role: string }

export type ConfirmRefusal = 'resource_not_found' | 'already_confirmed' | 'same_person'

export type RoleConfirmed = { kind: 'confirmed' } | { kind: 'refused'; code: ConfirmRefusal }

/**
 * Lets a role that moves money count: the second of two people, who neither granted it nor holds it. Refusals in their order: no such
 * role, one that counts already, the wrong person.
 */
export async function confirmRole({ sql }: { sql: Sql }, key: RoleKey, by: Actor): Promise<RoleConfirmed> {
  return sql.begin(async (tx): Promise<RoleConfirmed> => {
    const person = await store.lockPerson(tx, key)
    const roles = person === null ? [] : await store.readRoles(tx, key.person_id)
    const role = roles.find((one) => one.merchant_id === key.merchant_id && one.role === key.role)
    if (person === null || role === undefined) return { kind: 'refused', code: 'resource_not_found' }
    if (counts(role)) return { kind: 'refused', code: 'already_confirmed' }
    const others = [role.granted_by, person.email]
    if (!others.every((other) => isIndependentApprover(other, by.person)))
      return { kind: 'refused', code: 'same_person' }
    await store.markConfirmed(tx, role, by.person)
    recordAct(
      tx,
      { merchant_id: key.merchant_id, livemode: null },
      {
        actor: by,
        act: 'person.confirm',
        subject: key.person_id,
        before: { role: role.role, granted_by: role.granted_by },
        after: { email: person.email, role: role.role },
      },
    )
    const about = { merchant_id: key.merchant_id, livemode: null }
    // The address of somebody who has not come in yet is proven by nothing.
    if (person.status === 'active')
      notify(tx, { name: 'role_confirmed', about, to: [person.email], facts: { role: role.role } })
    return { kind: 'confirmed' }
  })
}
