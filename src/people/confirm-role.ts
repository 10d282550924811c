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
 * Puts a role that moves money in effect, as the second of two people, who neither granted nor holds it. Refusals, in order of precedence:
 * no such role, a role in effect already, the wrong person.
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
    // An e-mail address is unproven until its person has signed in for the first time.
    if (person.status === 'active')
      notify(tx, { name: 'role_confirmed', about, to: [person.email], facts: { role: role.role } })
    return { kind: 'confirmed' }
  })
}
