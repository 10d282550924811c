import { recordAct } from '../audit-log/record-act.ts'
import type { Db, Sql, Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { isIndependentApprover } from '../values/independent-approver.ts'
import { notify } from './notices/notify.ts'
import { counts } from './person.ts'
import * as store from './store.ts'

/** A role of a person at a merchant, or with `STAFF` in the staff. */
export type RoleKey = { person_id: string; merchant_id: number; role: string }

export type ConfirmRefusal = 'resource_not_found' | 'already_confirmed' | 'same_person'

export type RoleConfirmed = { kind: 'confirmed' } | { kind: 'refused'; code: ConfirmRefusal }

export type OwnerConfirmed = RoleConfirmed | { kind: 'refused'; code: 'has_owner' }

/**
 * Puts a role that moves money in effect, as the second of two people, who neither granted nor holds it. Refusals, in order of precedence:
 * no such role, a role in effect already, the wrong person.
 */
export async function confirmRole({ sql }: { sql: Sql }, key: RoleKey, by: Actor): Promise<RoleConfirmed> {
  return sql.begin((tx) => confirmIn(tx, key, by))
}

/**
 * Puts the first owner of a merchant in effect, as the second of two administrators: nobody of the merchant could. Refusals: as
 * `confirmRole`, and `has_owner` when the merchant has an owner in effect, who decides about the others.
 */
export async function confirmFirstOwner(
  { sql }: { sql: Sql },
  { person_id, merchant_id }: Omit<RoleKey, 'role'>,
  by: Actor,
): Promise<OwnerConfirmed> {
  return sql.begin(async (tx): Promise<OwnerConfirmed> => {
    // Two first owners at the same moment harm nobody, so that nothing is locked.
    if (await hasOwner(tx, merchant_id)) return { kind: 'refused', code: 'has_owner' }
    return confirmIn(tx, { person_id, merchant_id, role: 'owner' }, by)
  })
}

/** Whether an active person is an owner of the merchant in effect. */
export async function hasOwner(db: Db, merchant_id: number): Promise<boolean> {
  return (await store.readHolders(db, merchant_id, ['owner'])).length > 0
}

async function confirmIn(tx: Tx, key: RoleKey, by: Actor): Promise<RoleConfirmed> {
  const person = await store.lockPerson(tx, key)
  const roles = person === null ? [] : await store.readRoles(tx, key.person_id)
  const role = roles.find((one) => one.merchant_id === key.merchant_id && one.role === key.role)
  if (person === null || role === undefined) return { kind: 'refused', code: 'resource_not_found' }
  if (counts(role)) return { kind: 'refused', code: 'already_confirmed' }
  const others = [role.granted_by, person.email]
  if (!others.every((other) => isIndependentApprover(other, by.person))) return { kind: 'refused', code: 'same_person' }
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
}
