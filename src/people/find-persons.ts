import type { Db } from '../platform/postgres/database.ts'
import { isToConfirm, type PersonRow, type RoleRow } from './person.ts'
import { type MerchantRight, type Right, rolesWith } from './rights.ts'
import * as store from './store.ts'

/** The most roles in one list. No team has so many, nor has the staff. */
const ROLES_MAX = 1_000

export type HeldRole = Pick<
  RoleRow,
  'role' | 'granted_by' | 'granted_at' | 'confirmed_by' | 'confirmed_at' | 'beside_link' | 'to_accept'
> & {
  /** Whether the role is in effect. False: it waits for a second person, for its own person, or for both. */
  counts: boolean
  to_confirm: boolean
}

/** A person with their roles at one merchant, or in the staff. The name is the address while they have accepted no role there. */
export type Member = PersonRow & {
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
    const { person_id, email, name, language, status, seen_at, link_until } = roles[0]!
    const held = { person_id, email, language, status, roles: roles.map(heldRole) }
    // Anybody can offer a role to an address. Nothing about its person shows before they accept.
    if (roles.every(({ to_accept }) => to_accept)) return { ...held, name: email, seen_at: null, link_until: null }
    return { ...held, name, seen_at, link_until }
  })
}

/** Finds the e-mail addresses of the active people of a merchant, or with `STAFF` of the staff, who have a right there by a role in effect. */
export async function findHolders(db: Db, merchant_id: number, right: Right): Promise<string[]> {
  return (await store.readHolders(db, merchant_id, rolesWith(right))).map(({ email }) => email)
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
  const { role, granted_by, granted_at, confirmed_by, confirmed_at, beside_link, to_accept, in_effect } = line
  const held = { role, granted_by, granted_at, confirmed_by, confirmed_at, beside_link, to_accept }
  return { ...held, counts: in_effect, to_confirm: isToConfirm(line) }
}
