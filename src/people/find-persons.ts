import type { Db } from '../platform/postgres/database.ts'
import { counts, type PersonRow, type RoleRow } from './person.ts'
import { type MerchantRight, type Right, rolesWith } from './rights.ts'
import * as store from './store.ts'

/** The most roles in one list. No team and no staff are that large. */
const ROLES_MAX = 1_000

export type HeldRole = Pick<
  RoleRow,
  'role' | 'granted_by' | 'granted_at' | 'confirmed_by' | 'confirmed_at' | 'beside_link'
> & {
  /** False: it waits for a second person. */
  counts: boolean
}

/** A person with their roles at one merchant, or in the staff. */
export type Member = PersonRow & {
  roles: readonly HeldRole[]
  /** The last request of any session of theirs, to the minute; null: none is remembered. */
  seen_at: Date | null
  /** Until when their unused link opens; null: there is none. */
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
    return { person_id, email, name, language, status, roles: roles.map(heldRole), seen_at, link_until }
  })
}

/** The active people of a merchant, or with `STAFF` of the staff, who have a right there by a role that counts, by the address under which they act. */
export async function findHolders(db: Db, merchant_id: number, right: Right): Promise<string[]> {
  return (await store.readHolders(db, merchant_id, rolesWith(right))).map(({ email }) => email)
}

/** The one active person of a merchant with a right there. `since`: when they set their factors last, after an invitation or a reset. */
export type SoleHolder = { person: string; since: Date }

/** Null: nobody has the right there, or several do. */
export async function findSoleHolder(db: Db, merchant_id: number, right: MerchantRight): Promise<SoleHolder | null> {
  const holders = await store.readHolders(db, merchant_id, rolesWith(right))
  if (holders.length !== 1) return null
  const { email, activated_at } = holders[0]!
  return { person: email, since: activated_at }
}

function heldRole(line: store.MemberLine): HeldRole {
  const { role, granted_by, granted_at, confirmed_by, confirmed_at, beside_link } = line
  return { role, granted_by, granted_at, confirmed_by, confirmed_at, beside_link, counts: counts(line) }
}
