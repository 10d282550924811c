import type { Db, Tx } from '../../platform/postgres/database.ts'
import { insertRows } from '../../platform/postgres/rows.ts'
import type { Tenant } from '../../values/caller.ts'

/** A person of a till, by its permanent code. */
export type TillPerson = Tenant & { link_id: string; person_id: string }

export type NewTillPerson = TillPerson & { added_by: string; added_at: Date }

/** A till at which a person works. */
export type OwnTill = { readonly link_id: string; readonly name: string | null }

/** Puts people at tills. The lock of the till's link keeps two of the same apart. */
export function insertTillPeople(tx: Tx, people: readonly NewTillPerson[]): void {
  insertRows(tx, 'till_people', people)
}

/** Takes people off tills. */
export async function deleteTillPeople(tx: Tx, people: readonly TillPerson[]): Promise<void> {
  for (const { merchant_id, livemode, link_id, person_id } of people) {
    await tx`
      delete from till_people
       where merchant_id = ${merchant_id} and livemode = ${livemode} and link_id = ${link_id} and person_id = ${person_id}`
  }
}

/** The people of tills, whether or not they still are cashiers, in the order in which they were added. */
export async function readTillPeople(
  db: Db,
  { merchant_id, livemode, link_ids }: Tenant & { link_ids: readonly string[] },
): Promise<{ link_id: string; person_id: string; added_at: Date }[]> {
  return db<{ link_id: string; person_id: string; added_at: Date }[]>`
    select link_id, person_id, added_at
      from till_people
     where merchant_id = ${merchant_id} and livemode = ${livemode} and link_id = any(${link_ids}::text[])
     order by added_at, person_id`
}

/** The open tills of a person to which they were added since a moment, by name. @param since the time when they became a cashier */
export async function readTillsOf(
  db: Db,
  { merchant_id, livemode, person_id, since }: Tenant & { person_id: string; since: Date },
): Promise<OwnTill[]> {
  return db<OwnTill[]>`
    select l.id as link_id, l.description as name
      from till_people t
      join payment_links l on (l.merchant_id, l.livemode, l.id) = (t.merchant_id, t.livemode, t.link_id)
     where t.person_id = ${person_id} and t.merchant_id = ${merchant_id} and t.livemode = ${livemode}
       and t.added_at >= ${since} and l.status = 'open'
     order by l.description, l.id`
}
