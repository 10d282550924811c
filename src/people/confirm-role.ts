import { isSecondPerson, maySecond, readBeginners } from '../acts/second-person.ts'
import { recordAct } from '../audit-log/record-act.ts'
import type { Db, Sql, Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { findHolders } from './find-persons.ts'
import { hasShutOutOwner, tellOfOwner } from './former-owners.ts'
import { notify } from './notices/notify.ts'
import { isKnownTo, isToConfirm, STAFF } from './person.ts'
import * as store from './store.ts'

/** A role of a person at a merchant, or with `STAFF` in the staff. */
export type RoleKey = { person_id: string; merchant_id: number; role: string }

export type ConfirmRefusal =
  | 'resource_not_found'
  | 'already_confirmed'
  | 'same_person'
  | 'shut_out_owner'
  | 'account_unproven'

export type RoleConfirmed = { kind: 'confirmed' } | { kind: 'refused'; code: ConfirmRefusal }

type TeamConfirms = { kind: 'refused'; code: 'team_confirms' }

export type MemberConfirmed = RoleConfirmed | TeamConfirms

/**
 * Puts a role that waits in effect, as the second of two people, who neither granted nor holds it, and let neither of these two in within 90 days.
 * Refusals, in order of precedence: no such role, a role in effect already, the wrong person, a role in the staff for an account that neither the
 * staff opened nor its address proves, and an administrator who disabled or reset an owner of the merchant in the last 90 days
 * (`hasShutOutOwner`).
 */
export async function confirmRole({ sql }: { sql: Sql }, key: RoleKey, by: Actor): Promise<RoleConfirmed> {
  return sql.begin((tx) => confirmIn(tx, key, by))
}

/**
 * Puts a role at a merchant in effect, as an administrator of the service, where nobody of the merchant can be the second person: its
 * first owner, and the first colleagues of a single owner. Refusals: as `confirmRole`, and before the last one `team_confirms` when somebody
 * of the merchant can.
 */
export async function confirmForMerchant({ sql }: { sql: Sql }, key: RoleKey, by: Actor): Promise<MemberConfirmed> {
  const { merchant_id } = key
  return sql.begin((tx) =>
    confirmIn<TeamConfirms>(tx, key, by, {
      async refuse(role) {
        return (await canTeamConfirm(tx, merchant_id, role)) ? { kind: 'refused', code: 'team_confirms' } : null
      },
      async tell({ email }) {
        if (key.role === 'owner') await tellOfOwner(tx, 'owner_confirmed', { merchant_id, email }, by)
      },
    }),
  )
}

/**
 * Whether somebody of a merchant can confirm a role there: an active person with this right, who neither granted nor holds the role, and let
 * neither of these two in. Nothing is locked: if such a person comes or goes at this moment, the role still has two people.
 */
export async function canTeamConfirm(
  db: Db,
  merchant_id: number,
  { granted_by, email }: { granted_by: string; email: string },
): Promise<boolean> {
  const [holders, beginners] = await Promise.all([
    findHolders(db, merchant_id, 'team.confirm'),
    readBeginners(db, [granted_by, email]),
  ])
  return holders.some((holder) => isSecondPerson(beginners, holder))
}

/** Whether an active person is an owner of the merchant in effect. */
export async function hasOwner(db: Db, merchant_id: number): Promise<boolean> {
  return (await store.readHolders(db, merchant_id, ['owner'])).length > 0
}

type Waiting = { granted_by: string; email: string }

/** @param ofService a further reason to refuse a role that waits, or null; and the people to tell of its confirmation */
async function confirmIn<Refused = never>(
  tx: Tx,
  key: RoleKey,
  by: Actor,
  ofService?: { refuse: (role: Waiting) => Promise<Refused | null>; tell: (role: Waiting) => Promise<void> },
): Promise<RoleConfirmed | Refused> {
  const person = await store.lockPerson(tx, key)
  const roles = person === null ? [] : await store.readRoles(tx, key.person_id)
  const role = roles.find((one) => one.merchant_id === key.merchant_id && one.role === key.role)
  if (person === null || role === undefined) return { kind: 'refused', code: 'resource_not_found' }
  if (!isToConfirm(role)) return { kind: 'refused', code: 'already_confirmed' }
  const others = [role.granted_by, person.email]
  if (!(await maySecond(tx, others, by.person))) return { kind: 'refused', code: 'same_person' }
  const ofStaff = key.merchant_id === STAFF && person.status === 'active' && !isKnownTo(STAFF, person)
  if (ofStaff && person.mail_proven_at === null) return { kind: 'refused', code: 'account_unproven' }
  const waiting = { granted_by: role.granted_by, email: person.email }
  const refused = await ofService?.refuse(waiting)
  if (refused != null) return refused
  // Read after `refuse`: an owner who is missing there was shut out by an act that is visible here.
  if (await hasShutOutOwner(tx, key.merchant_id, by.person)) return { kind: 'refused', code: 'shut_out_owner' }
  await ofService?.tell(waiting)
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
  // Nobody has an account yet, or wants this role, who would read the mail.
  if (person.status === 'active' && !role.to_accept)
    notify(tx, { name: 'role_confirmed', about, to: [person.email], facts: { role: role.role } })
  return { kind: 'confirmed' }
}
