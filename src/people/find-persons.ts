import type { Db } from '../platform/postgres/database.ts'
import { type MerchantRight, type Right, rolesWith } from '../values/rights.ts'
import { isKnownTo, isToConfirm, type PersonRow, type RoleRow } from './person.ts'
import * as store from './store.ts'

/** The most roles in one list. No team has so many, nor has the staff. */
const ROLES_MAX = 1_000

export type HeldRole = Pick<
  RoleRow,
  'role' | 'granted_by' | 'granted_at' | 'confirmed_by' | 'confirmed_at' | 'to_accept'
> & {
  /** Whether the role is in effect once its person signs in. False: it waits for a second person, for its own person, or for both. */
  counts: boolean
  to_confirm: boolean
}

/**
 * A person with their roles at one merchant, or in the staff. Until they have accepted a role there, they look the same whether or not they have an
 * account: invited, and named as the inviter named them.
 */
export type Member = PersonRow & {
  /** For a second person, where another place opened the account. Null: this place did, or the person has accepted no role here. */
  account_code: string | null
  roles: readonly HeldRole[]
  /** The last request of any of their sessions, to the minute. Null: none is stored. */
  seen_at: Date | null
  /** The expiry of their unused link. Null: there is none. */
  link_until: Date | null
}

/**
 * The team of a merchant, or the staff, in the order of their names.
 * @param merchant_id `STAFF`: the staff of the service
 */
export async function findMembers(db: Db, merchant_id: number): Promise<Member[]> {
  const lines = await store.readMembers(db, merchant_id, ROLES_MAX)
  return [...Map.groupBy(lines, ({ person_id }) => person_id).values()].map((roles) => {
    const { person_id, email, name, language, status, seen_at, activated_at } = roles[0]!
    const { link_until, offer_until, invited_name } = roles[0]!
    const held = { person_id, email, roles: roles.map(heldRole) }
    const isOffered = roles.every(({ to_accept }) => to_accept)
    if (status !== 'disabled' && (activated_at === null || isOffered)) {
      const shown = {
        name: invited_name ?? (isOffered ? email : name),
        link_until: isOffered ? offer_until : link_until,
        ...({ language: 'fr', status: 'invited', seen_at: null, account_code: null } as const),
      }
      // As those of a person who has used no link yet.
      return {
        ...held,
        ...shown,
        roles: held.roles.map((role) => ({ ...role, counts: !role.to_confirm, to_accept: false })),
      }
    }
    const account_code = isKnownTo(merchant_id, roles[0]!) ? null : roles[0]!.account_code
    return { ...held, language, status, name, seen_at, link_until, account_code }
  })
}

/** Finds the e-mail addresses of the active people of a merchant, or with `STAFF` of the staff, who have a right there by a role in effect. */
export async function findHolders(db: Db, merchant_id: number, right: Right): Promise<string[]> {
  return (await store.readHolders(db, merchant_id, rolesWith(right))).map(({ email }) => email)
}

/** The time when a person was given a role that they have. Null: they do not have it. */
export async function readRoleSince(
  db: Db,
  { person_id, merchant_id, role: named }: Pick<RoleRow, 'person_id' | 'merchant_id' | 'role'>,
): Promise<Date | null> {
  const roles = await store.readRoles(db, person_id)
  return roles.find((one) => one.merchant_id === merchant_id && one.role === named)?.granted_at ?? null
}

/** The only active person of a merchant with a right. `since`: the time when they last set their factors, after an invitation or a reset. */
export type SoleHolder = { person: string; since: Date }

/** Finds the only person with the right. Null: nobody has it, or several people do. */
export async function findSoleHolder(db: Db, merchant_id: number, right: MerchantRight): Promise<SoleHolder | null> {
  const holders = await store.readHolders(db, merchant_id, rolesWith(right))
  if (holders.length !== 1) return null
  const { email, activated_at } = holders[0]!
  return { person: email, since: activated_at }
}

function heldRole(line: store.MemberLine): HeldRole {
  const { role, granted_by, granted_at, confirmed_by, confirmed_at, to_accept, in_effect } = line
  const held = { role, granted_by, granted_at, confirmed_by, confirmed_at, to_accept }
  return { ...held, counts: in_effect, to_confirm: isToConfirm(line) }
}
