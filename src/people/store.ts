import type { Db, Tx } from '../platform/postgres/database.ts'
import type { Language } from '../values/language.ts'
import { type Account, type PersonRow, type RoleRow, STAFF } from './person.ts'
import type { PersonStatus } from './states.ts'

const personColumns = [
  'person_id',
  'email',
  'name',
  'language',
  'status',
  'opened_by',
  'account_code',
  'mail_proven_at',
]

/** A person with the facts by which others know the holder of their account. */
export type LockedPerson = PersonRow & Account

const roleColumns = [
  ...['person_id', 'merchant_id', 'role', 'granted_by', 'granted_at'],
  ...['needs_confirmation', 'confirmed_by', 'confirmed_at', 'break_glass', 'beside_link', 'to_accept', 'in_effect'],
]

/** Inserts a person. False: there is already one with this address. */
export async function insertPerson(tx: Tx, person: Omit<PersonRow, 'status'>): Promise<boolean> {
  const { count } = await tx`
    insert into persons (person_id, email, name, language, status)
    values (${person.person_id}, ${person.email}, ${person.name}, ${person.language}, 'invited')
    on conflict (email) do nothing`
  return count > 0
}

/** Locks a person until the end of the transaction. Every decision about a person takes this lock. Null: there is none. */
export async function lockPerson(tx: Tx, by: { email: string } | { person_id: string }): Promise<LockedPerson | null> {
  const [row] = await tx<LockedPerson[]>`
    select ${tx(personColumns)}
      from persons
     where ${'email' in by ? tx`email = ${by.email}` : tx`person_id = ${by.person_id}`}
       for update`
  return row ?? null
}

/** Whether a person has ever set factors by a link. */
export async function hasAccepted(tx: Tx, person_id: string): Promise<boolean> {
  const [row] = await tx`select from persons where person_id = ${person_id} and activated_at is not null`
  return row !== undefined
}

/** Writes the new status of a locked person. The caller has checked the table of transitions. */
export async function moveTo(tx: Tx, person_id: string, status: PersonStatus): Promise<void> {
  await tx`
    update persons
       set status = ${status}, disabled_at = ${status === 'disabled' ? tx`clock_now()` : tx`null`}
     where person_id = ${person_id}`
}

/** Sets the language of a person. Returns the previous one, or null if it was the same. */
export async function updateLanguage(tx: Tx, person_id: string, language: Language): Promise<Language | null> {
  const [row] = await tx<{ before: Language }[]>`
    with before as (
      select person_id, language
        from persons
       where person_id = ${person_id} and language <> ${language}
         for no key update
    )
    update persons p
       set language = ${language}
      from before b
     where p.person_id = b.person_id
    returning b.language as before`
  return row?.before ?? null
}

/** Reads all roles of a locked person, at every merchant and in the staff. */
export function readRoles(db: Db, person_id: string): Promise<RoleRow[]> {
  return db<RoleRow[]>`
    select ${db(roleColumns)}
      from person_roles
     where person_id = ${person_id}
     order by merchant_id, role`
}

/** Reads the roles in effect of an active person, by their e-mail address, at one merchant and in the staff. */
export async function readEffectiveRoles(db: Db, email: string, merchant_id: number): Promise<RoleRow[]> {
  return db<RoleRow[]>`
    select ${db(roleColumns.map((column) => `r.${column}`))}
      from persons p
      join person_roles r on r.person_id = p.person_id
     where p.email = ${email} and p.status = 'active' and r.merchant_id in (${merchant_id}, ${STAFF})
       and r.in_effect`
}

export async function insertRole(
  tx: Tx,
  { person_id, merchant_id, role, granted_by, needs_confirmation, break_glass, beside_link, to_accept }: NewRole,
): Promise<void> {
  await tx`
    insert into person_roles (person_id, merchant_id, role, granted_by, needs_confirmation, break_glass, beside_link, to_accept)
    values (${person_id}, ${merchant_id}, ${role}, ${granted_by}, ${needs_confirmation}, ${break_glass}, ${beside_link},
            ${to_accept})`
}

type NewRole = Omit<RoleRow, 'granted_at' | 'confirmed_by' | 'confirmed_at' | 'in_effect'>

/** Records a new granter of a role, so that the role waits for a confirmation again. */
export async function grantAnew(
  tx: Tx,
  { person_id, merchant_id, role }: RoleRow,
  { granted_by, beside_link }: Pick<RoleRow, 'granted_by' | 'beside_link'>,
): Promise<void> {
  await tx`
    update person_roles
       set granted_by = ${granted_by}, granted_at = clock_now(), needs_confirmation = true, break_glass = false,
           confirmed_by = null, confirmed_at = null, beside_link = ${beside_link}
     where person_id = ${person_id} and merchant_id = ${merchant_id} and role = ${role}`
}

/**
 * Marks that the new link of a locked person opens the roles granted beside a former one, at one place or at all, so that its use accepts them. An
 * offer to their account stays one.
 */
export async function coverByLink(tx: Tx, person_id: string, merchant_id: number | null): Promise<void> {
  await tx`
    update person_roles
       set beside_link = false, to_accept = false
     where person_id = ${person_id} and beside_link and (${merchant_id}::bigint is null or merchant_id = ${merchant_id})`
}

/**
 * Makes the roles of a locked person that their link did not give wait for a confirmation, because before nobody could compare the account code: all
 * after the use of a link, or those offered by one place, which they accept. Returns these roles.
 */
export async function awaitConfirmation(
  tx: Tx,
  person_id: string,
  offered_at: number | null = null,
): Promise<Pick<RoleRow, 'merchant_id' | 'role'>[]> {
  return tx<Pick<RoleRow, 'merchant_id' | 'role'>[]>`
    update person_roles
       set needs_confirmation = true, confirmed_by = null, confirmed_at = null
     where person_id = ${person_id} and beside_link
       and (${offered_at}::bigint is null or (merchant_id = ${offered_at} and to_accept))
    returning merchant_id, role`
}

/** Confirms a role of a locked person. The database refuses the granter and the person themselves. */
export async function markConfirmed(
  tx: Tx,
  { person_id, merchant_id, role }: RoleRow,
  confirmed_by: string,
): Promise<void> {
  await tx`
    update person_roles
       set confirmed_by = ${confirmed_by}, confirmed_at = clock_now()
     where person_id = ${person_id} and merchant_id = ${merchant_id} and role = ${role}`
}

/** Marks a role of a locked person as accepted. */
export async function markAccepted(tx: Tx, { person_id, merchant_id, role }: RoleRow): Promise<void> {
  await tx`
    update person_roles
       set to_accept = false
     where person_id = ${person_id} and merchant_id = ${merchant_id} and role = ${role}`
}

/** A role that a team offers. */
export type OfferedRole = Pick<RoleRow, 'merchant_id' | 'role' | 'granted_by' | 'granted_at'> & {
  /** Null: the staff. */
  merchant_name: string | null
  /** The name of the person who offers it. */
  granter: string
  /** Whether a second person has yet to confirm it, also once it is accepted. */
  to_confirm: boolean
}

/** Reads the roles that a person has not accepted yet, the oldest first. */
export function readOffers(db: Db, person_id: string, limit: number): Promise<OfferedRole[]> {
  return db<OfferedRole[]>`
    select r.merchant_id, m.name as merchant_name, r.role, r.granted_by, r.granted_at,
           coalesce(g.name, r.granted_by) as granter,
           r.beside_link or (r.needs_confirmation and r.confirmed_at is null) as to_confirm
      from person_roles r
      left join merchant_names m on m.merchant_id = r.merchant_id
      left join persons g on g.email = r.granted_by
     where r.person_id = ${person_id} and r.to_accept
     order by r.granted_at, r.merchant_id, r.role
     limit ${limit}`
}

export async function deleteRole(tx: Tx, { person_id, merchant_id, role }: RoleRow): Promise<void> {
  await tx`
    delete from person_roles
     where person_id = ${person_id} and merchant_id = ${merchant_id} and role = ${role}`
}

/** Reads the active people of a merchant with one of these roles in effect. */
export async function readHolders(
  db: Db,
  merchant_id: number,
  roles: readonly string[],
): Promise<{ email: string; activated_at: Date }[]> {
  return db<{ email: string; activated_at: Date }[]>`
    select distinct p.email, p.activated_at
      from person_roles r
      join persons p on p.person_id = r.person_id
     where r.merchant_id = ${merchant_id} and r.role = any(${roles}::text[]) and p.status = 'active'
       and r.in_effect`
}

/** Locks a role of all its holders at a merchant, in one order, so that decisions about its holders follow one another. */
export async function lockRole(tx: Tx, merchant_id: number, role: string): Promise<void> {
  await tx`
    select from person_roles
     where merchant_id = ${merchant_id} and role = ${role}
     order by person_id
       for update`
}

/**
 * Reads the holders of a role in effect who can sign in: with a passkey, or with a password and the code of a phone or an unused recovery
 * code.
 */
export async function readAbleToSignIn(db: Db, merchant_id: number, role: string): Promise<string[]> {
  const rows = await db<{ person_id: string }[]>`
    select r.person_id
      from person_roles r
      join persons p on p.person_id = r.person_id
     where r.merchant_id = ${merchant_id} and r.role = ${role} and p.status = 'active' and r.in_effect
       and (exists (select from person_passkeys k where k.person_id = p.person_id)
            or (exists (select from person_passwords w where w.person_id = p.person_id)
                and (exists (select from person_totp t where t.person_id = p.person_id)
                     or exists (select from recovery_codes c where c.person_id = p.person_id and c.used_at is null))))`
  return rows.map(({ person_id }) => person_id)
}

export async function merchantExists(db: Db, merchant_id: number): Promise<boolean> {
  const rows = await db`select from merchant_names where merchant_id = ${merchant_id}`
  return rows.length > 0
}

/** Deletes all factors of a person, and what was known of their holder. */
export async function deleteFactors(tx: Tx, person_id: string): Promise<void> {
  await tx`
    update persons
       set opened_by = null, account_code = null, mail_proven_at = null
     where person_id = ${person_id}`
  await tx`delete from person_passwords where person_id = ${person_id}`
  await tx`delete from person_totp where person_id = ${person_id}`
  await tx`delete from person_passkeys where person_id = ${person_id}`
  await tx`delete from recovery_codes where person_id = ${person_id}`
}

/** Whether there is an administrator, or an open link for one. */
export async function findAdministrator(db: Db): Promise<'active' | 'invited' | null> {
  const [row] = await db<{ status: 'active' | 'invited' }[]>`
    select p.status
      from person_roles r
      join persons p on p.person_id = r.person_id
     where r.merchant_id = ${STAFF} and r.role = 'administrator' and r.in_effect
       and (p.status = 'active' or exists (
             select from invitations i
              where i.person_id = p.person_id and i.used_at is null and i.revoked_at is null and not i.is_offer
                and i.expires_at > clock_now()))
     order by p.status
     limit 1`
  return row?.status ?? null
}

export type MemberLine = PersonRow &
  Pick<Account, 'opened_by' | 'account_code'> &
  Pick<
    RoleRow,
    | 'role'
    | 'granted_by'
    | 'granted_at'
    | 'needs_confirmation'
    | 'confirmed_by'
    | 'confirmed_at'
    | 'to_accept'
    | 'in_effect'
  > & {
    /** The time of their first sign-in, after an invitation or a reset. */
    activated_at: Date | null
    /** The last request of any of their sessions. */
    seen_at: Date | null
    /** The expiry of their unused link. */
    link_until: Date | null
    /** The name that this place's newest invitation has. Null: another place or the service invited them. */
    invited_name: string | null
    /** The expiry of this place's unused offer. */
    offer_until: Date | null
  }

/** Reads a line for each role of the people of a merchant, or of the staff. */
export function readMembers(db: Db, merchant_id: number, limit: number): Promise<MemberLine[]> {
  return db<MemberLine[]>`
    select p.person_id, p.email, p.name, p.language, p.status, p.opened_by, p.account_code, p.activated_at,
           r.role, r.granted_by, r.granted_at, r.needs_confirmation, r.confirmed_by, r.confirmed_at,
           r.to_accept, r.in_effect,
           (select max(s.seen_at) from person_sessions s where s.person_id = p.person_id) as seen_at,
           (select i.expires_at
              from invitations i
             where i.person_id = p.person_id and i.used_at is null and i.revoked_at is null and not i.is_offer) as link_until,
           (select i.expires_at
              from invitations i
             where i.person_id = p.person_id and i.used_at is null and i.revoked_at is null and i.is_offer
               and i.place = r.merchant_id) as offer_until,
           (select i.name
              from invitations i
             where i.person_id = p.person_id and i.place = r.merchant_id
             order by i.created_at desc
             limit 1) as invited_name
      from person_roles r
      join persons p on p.person_id = r.person_id
     where r.merchant_id = ${merchant_id}
     order by p.name, p.person_id, r.role
     limit ${limit}`
}
