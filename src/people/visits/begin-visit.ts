import { recordAct } from '../../audit-log/record-act.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Actor } from '../../values/actor.ts'
import { newId } from '../../values/ids.ts'
import * as store from './store.ts'
import type { Visit } from './visit.ts'

export type VisitBegun = { kind: 'begun'; visit: Visit } | { kind: 'refused'; code: 'resource_not_found' }

/**
 * Lets a staff member read a merchant's console for half an hour. A running visit of the same person ends first, so that each visit has one
 * reason. The merchant sees the visit with its reason, and its audit log has the line.
 * @param reason 1 to 200 characters, in one line
 */
export async function beginVisit(
  { sql, clock }: { sql: Sql; clock: Clock },
  { merchant_id, reason }: { merchant_id: number; reason: string },
  by: Actor,
): Promise<VisitBegun> {
  return sql.begin(async (tx): Promise<VisitBegun> => {
    const { person } = by
    await store.endVisits(tx, { person, merchant_id })
    const visit_id = newId('vis', clock.milliseconds())
    const visit = await store.insertVisit(tx, { merchant_id, visit_id, person, reason })
    if (visit === null) return { kind: 'refused', code: 'resource_not_found' }
    const after = { until: visit.ends_at.toISOString() }
    recordAct(tx, { merchant_id, livemode: null }, { actor: by, act: 'merchant.look', subject: visit_id, after })
    return { kind: 'begun', visit }
  })
}

/** Ends a person's visit at a merchant early. Without a running visit nothing happens. */
export async function endVisit(sql: Sql, merchant_id: number, by: Actor): Promise<void> {
  await sql.begin(async (tx) => {
    for (const subject of await store.endVisits(tx, { person: by.person, merchant_id })) {
      recordAct(tx, { merchant_id, livemode: null }, { actor: by, act: 'merchant.look_end', subject })
    }
  })
}
