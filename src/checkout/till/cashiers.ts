import { findMembers, type Member, readRoleSince } from '../../people/find-persons.ts'
import type { Db, Sql } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { readLink } from '../link-store.ts'
import { type OwnTill, readTillPeople, readTillsOf } from './till-people-store.ts'

/** A cashier of a merchant, as the page of a till names them. */
export type Cashier = { readonly person_id: string; readonly name: string; readonly seen_at: Date | null }

/** The cashiers of a merchant, at a till or at none. */
export async function findCashiers(db: Db, merchant_id: number): Promise<(Cashier & { since: Date; email: string })[]> {
  const members = await findMembers(db, merchant_id)
  return members.flatMap(({ person_id, name, email, seen_at, roles }) => {
    const role = cashierRole(roles)
    return role === undefined ? [] : [{ person_id, name, email, seen_at, since: role.granted_at }]
  })
}

const cashierRole = (roles: Member['roles']) => roles.find(({ role }) => role === 'cashier')

/**
 * The cashiers of each till. A person who lost the role, and got it again later, is added to their tills anew.
 * @returns by the permanent code; a till without a cashier is left out
 */
export async function readCashiersOf(
  db: Db,
  tenant: Tenant,
  link_ids: readonly string[],
): Promise<ReadonlyMap<string, readonly Cashier[]>> {
  const [people, cashiers] = await Promise.all([
    readTillPeople(db, { ...tenant, link_ids }),
    findCashiers(db, tenant.merchant_id),
  ])
  const known = new Map(cashiers.map((cashier) => [cashier.person_id, cashier]))
  const placed = people.flatMap(({ link_id, person_id, added_at }) => {
    const cashier = known.get(person_id)
    return cashier === undefined || cashier.since > added_at ? [] : [{ link_id, cashier }]
  })
  return new Map(
    [...Map.groupBy(placed, ({ link_id }) => link_id)].map(([id, of]) => [id, of.map(({ cashier }) => cashier)]),
  )
}

/** The open tills of a person. None without the role of a cashier. */
export async function readOwnTills(db: Db, tenant: Tenant, person_id: string): Promise<OwnTill[]> {
  const since = await readRoleSince(db, { person_id, merchant_id: tenant.merchant_id, role: 'cashier' })
  return since === null ? [] : readTillsOf(db, { ...tenant, person_id, since })
}

/** Whether a link is one of these tills, or was sent from one of them. */
export async function isOfTills(
  sql: Sql,
  tenant: Tenant,
  link_id: string | null,
  tills: readonly OwnTill[],
): Promise<boolean> {
  const isOwn = (id: string | null) => tills.some((till) => till.link_id === id)
  if (link_id === null) return false
  return isOwn(link_id) || isOwn((await readLink(sql, { ...tenant, link_id }))?.till_id ?? null)
}
