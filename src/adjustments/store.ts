import { defineEffect } from '../platform/commands/effects.ts'
import type { Db, Tx } from '../platform/postgres/database.ts'
import { insertRows, lockById } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'
import type { AdjustmentRow } from './adjustment.ts'

const columns = [
  'merchant_id',
  'livemode',
  'id',
  'direction',
  'amount',
  'counterpart',
  'reason',
  'anomaly_id',
  'status',
  'proposed_by',
  'decided_by',
  'proposed_at',
  'decided_at',
]

/** The most adjustments in one list. */
const SHOWN_MAX = 500

/** Writes new adjustments. */
export const addAdjustment = defineEffect<AdjustmentRow>('new row', (tx, adjustments) => {
  insertRows(tx, 'adjustments', adjustments)
})

/** Writes the decisions on locked adjustments. The database refuses the proposer, and a second decision. */
export const writeDecision = defineEffect<AdjustmentRow>('adjustment', (tx, decided) => {
  for (const { merchant_id, livemode, id, status, decided_by, decided_at } of decided) {
    tx.send(tx`
      update adjustments
         set status = ${status}, decided_by = ${decided_by}, decided_at = ${decided_at}
       where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id}`)
  }
})

/** Locks an adjustment of any merchant, for staff. Null when there is none. */
export function lockAdjustment(tx: Tx, id: string): Promise<AdjustmentRow | null> {
  return lockById<AdjustmentRow>(tx, 'adjustments', columns, id)
}

/** Reads an adjustment of any merchant, for staff. Null when there is none. */
export async function readAdjustment(db: Db, adjustment_id: string): Promise<AdjustmentRow | null> {
  const [row] = await db<AdjustmentRow[]>`
    select ${db(columns)}
      from adjustments
     where id = ${adjustment_id}`
  return row ?? null
}

/** Lists a merchant's adjustments in one mode, newest first, at most 500. */
export async function readAdjustments(db: Db, tenant: Tenant): Promise<AdjustmentRow[]> {
  return db<AdjustmentRow[]>`
    select ${db(columns)}
      from adjustments
     where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}
     order by id desc
     limit ${SHOWN_MAX}`
}

/** Lists the adjustments of one mode that wait for a second person, oldest first, at most 500. */
export async function readWaitingAdjustments(db: Db, livemode: boolean): Promise<AdjustmentRow[]> {
  return db<AdjustmentRow[]>`
    select ${db(columns)}
      from adjustments
     where status = 'proposed' and livemode = ${livemode}
     order by proposed_at
     limit ${SHOWN_MAX}`
}
