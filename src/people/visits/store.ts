import type { Db, Tx } from '../../platform/postgres/database.ts'
import { type OpenVisit, VISIT_MINUTES, type Visit } from './visit.ts'

const columns = ['merchant_id', 'visit_id', 'person', 'reason', 'begun_at', 'ends_at', 'ended_at']

/** Null: there is no such merchant. */
export async function insertVisit(
  tx: Tx,
  { merchant_id, visit_id, person, reason }: Pick<Visit, 'merchant_id' | 'visit_id' | 'person' | 'reason'>,
): Promise<Visit | null> {
  const [row] = await tx<Visit[]>`
    insert into staff_visits (merchant_id, visit_id, person, reason, begun_at, ends_at)
    select m.merchant_id, ${visit_id}, ${person}, ${reason}, clock_now(),
           clock_now() + make_interval(mins => ${VISIT_MINUTES})
      from merchant_names m
     where m.merchant_id = ${merchant_id}
    returning ${tx(columns)}`
  return row ?? null
}

/** Reads the running visit of a person at a merchant. Null: there is none. */
export async function readOpenVisit(
  db: Db,
  { person, merchant_id }: Pick<Visit, 'person' | 'merchant_id'>,
): Promise<OpenVisit | null> {
  const [row] = await db<OpenVisit[]>`
    select ${db(columns.map((column) => `v.${column}`))}, m.name as merchant_name
      from staff_visits v
      join merchant_names m on m.merchant_id = v.merchant_id
     where v.merchant_id = ${merchant_id} and v.person = ${person}
       and v.ended_at is null and v.ends_at > clock_now()
     order by v.ends_at desc
     limit 1`
  return row ?? null
}

/** Ends the running visits of a person at a merchant, and returns them. */
export async function endVisits(
  tx: Tx,
  { person, merchant_id }: Pick<Visit, 'person' | 'merchant_id'>,
): Promise<string[]> {
  const ended = await tx<{ visit_id: string }[]>`
    update staff_visits
       set ended_at = clock_now()
     where merchant_id = ${merchant_id} and person = ${person} and ended_at is null and ends_at > clock_now()
    returning visit_id`
  return ended.map(({ visit_id }) => visit_id)
}

/** Lists the visits at a merchant, newest first. */
export function readVisits(db: Db, merchant_id: number, limit: number): Promise<Visit[]> {
  return db<Visit[]>`
    select ${db(columns)}
      from staff_visits
     where merchant_id = ${merchant_id}
     order by begun_at desc
     limit ${limit}`
}

/** Finds the merchant of a visit by its identifier. A visit has no mode. */
export async function findVisitAnywhere(
  db: Db,
  visit_id: string,
): Promise<{ merchant_id: number; livemode: null } | null> {
  const [row] = await db<{ merchant_id: number; livemode: null }[]>`
    select merchant_id, null as livemode
      from staff_visits
     where visit_id = ${visit_id}`
  return row ?? null
}
