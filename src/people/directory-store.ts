import type { Db } from '../platform/postgres/database.ts'
import { type Account, type PersonRow, type RoleRow, STAFF } from './person.ts'

/** A role as the desk lists it. `granted_at` is in ISO 8601. */
export type ListedRole = Pick<RoleRow, 'merchant_id' | 'role' | 'granted_by' | 'to_accept'> & {
  granted_at: string
  /** Null: in the staff. */
  merchant_name: string | null
  /** Whether the role is in effect. False: it waits for a second person, for its own person, or for both. */
  counts: boolean
  to_confirm: boolean
}

/** A person in the list of the desk, with the kinds of their factors, but without any secret. */
export type ListedPerson = PersonRow & {
  /** The place whose link set the factors, with its name. Null: no factors yet, or unknown. */
  opened_by: Account['opened_by']
  /** Null: the staff opened the account, or it is unknown who did. */
  opened_by_name: string | null
  account_code: string | null
  mail_proven_at: Date | null
  roles: ListedRole[]
  passkeys: number
  password: boolean
  telephone: boolean
  recovery_codes_left: number
  /** The start of the last session. Null: there was none. */
  signed_in_at: Date | null
  seen_at: Date | null
  /** The expiry of an unused link. Null: there is none. */
  link_until: Date | null
}

const listed = (db: Db) => db`
    select p.person_id, p.email, p.name, p.language, p.status, p.opened_by, p.account_code, p.mail_proven_at,
           (select m.name from merchant_names m where m.merchant_id = p.opened_by) as opened_by_name,
           coalesce((select json_agg(json_build_object('merchant_id', r.merchant_id, 'role', r.role, 'merchant_name', m.name,
                                                       'granted_by', r.granted_by, 'granted_at', r.granted_at,
                                                       'to_accept', r.to_accept,
                                                       'to_confirm', r.needs_confirmation and r.confirmed_at is null,
                                                       'counts', r.in_effect)
                                     order by r.merchant_id, r.role)
                       from person_roles r
                       left join merchant_names m on m.merchant_id = r.merchant_id
                      where r.person_id = p.person_id), '[]') as roles,
           (select count(*)::integer from person_passkeys k where k.person_id = p.person_id) as passkeys,
           exists (select from person_passwords w where w.person_id = p.person_id) as password,
           exists (select from person_totp t where t.person_id = p.person_id) as telephone,
           (select count(*)::integer from recovery_codes c where c.person_id = p.person_id and c.used_at is null) as recovery_codes_left,
           (select max(s.created_at) from person_sessions s where s.person_id = p.person_id) as signed_in_at,
           (select max(s.seen_at) from person_sessions s where s.person_id = p.person_id) as seen_at,
           (select i.expires_at from invitations i
             where i.person_id = p.person_id and i.used_at is null and i.revoked_at is null and not i.is_offer) as link_until
      from persons p`

/**
 * Reads the people of all merchants and the staff whose address contains a text, in the order of their addresses.
 * @param search the text, in lower case; empty: all people
 * @param after the identifier of the last one shown; nobody's: from the start
 */
export function readPeople(
  db: Db,
  { search, after, limit }: { search: string; after: string; limit: number },
): Promise<ListedPerson[]> {
  return db<ListedPerson[]>`
    ${listed(db)}
     where p.email > coalesce((select last.email from persons last where last.person_id = ${after}), '')
       and position(${search} in p.email) > 0
     order by p.email
     limit ${limit}`
}

/** A role that waits for an administrator. */
export type WaitingRole = Pick<PersonRow, 'person_id' | 'email' | 'name'> &
  Pick<RoleRow, 'merchant_id' | 'role' | 'granted_by' | 'granted_at'> & {
    /** Null: in the staff. */
    merchant_name: string | null
  }

/**
 * Reads the roles that wait for an administrator, oldest first: roles in the staff, and roles at a merchant where nobody else than their granter
 * and holder has a role in effect that confirms them.
 * @param confirming the roles that confirm others at a merchant
 */
export function readWaitingRoles(db: Db, confirming: readonly string[]): Promise<WaitingRole[]> {
  return db<WaitingRole[]>`
    select p.person_id, p.email, p.name, r.merchant_id, r.role, r.granted_by, r.granted_at, m.name as merchant_name
      from person_roles r
      join persons p on p.person_id = r.person_id
      left join merchant_names m on m.merchant_id = r.merchant_id
     where r.needs_confirmation and r.confirmed_at is null and p.status <> 'disabled'
       and (r.merchant_id = ${STAFF}
            or not exists (
               select 1
                 from person_roles o
                 join persons h on h.person_id = o.person_id
                where o.merchant_id = r.merchant_id and o.role = any(${confirming}::text[]) and h.status = 'active'
                  and h.email not in (p.email, r.granted_by) and not stands_behind(p.email, h.email)
                  and not stands_behind(r.granted_by, h.email)
                  and o.in_effect))
     order by r.granted_at, p.person_id, r.role`
}

/** Reads one person. Null: there is none. */
export async function readListedPerson(db: Db, person_id: string): Promise<ListedPerson | null> {
  const [row] = await db<ListedPerson[]>`
    ${listed(db)}
     where p.person_id = ${person_id}`
  return row ?? null
}

/** Finds the person of an invitation, a session or a step-up. Null when there is none. */
export async function readPersonBehind(db: Db, id: string): Promise<string | null> {
  const [row] = await db<{ person_id: string }[]>`
    select person_id
      from invitations
     where invitation_id = ${id}
     union all
    select person_id
      from person_sessions
     where session_id = ${id}
     union all
    select person_id
      from step_ups
     where step_up_id = ${id}`
  return row?.person_id ?? null
}
