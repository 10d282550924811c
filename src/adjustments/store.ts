import type { Db, Tx } from '../platform/postgres/database.ts'
import { insertRows } from '../platform/postgres/rows.ts'
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

/** Inserts an adjustment. The foreign key `adjustments_merchant_id_fkey` refuses an unknown merchant. */
export function insertAdjustment(tx: Tx, adjustment: AdjustmentRow): void {
  insertRows(tx, 'adjustments', [adjustment])
}

/** Reads an adjustment of any merchant, for staff. Null when there is none. */
export async function findAdjustment(db: Db, adjustment_id: string): Promise<AdjustmentRow | null> {
  const [row] = await db<AdjustmentRow[]>`
    select ${db(columns)}
      from adjustments
     where id = ${adjustment_id}`
  return row ?? null
}

/** Lists a merchant's adjustments in one mode, newest first. */
export async function readAdjustments(db: Db, tenant: Tenant, limit: number): Promise<AdjustmentRow[]> {
  return db<AdjustmentRow[]>`
    select ${db(columns)}
      from adjustments
     where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}
     order by id desc
     limit ${limit}`
}

/** Lists the adjustments of one mode that wait for a second person, oldest first. */
export async function readWaitingAdjustments(db: Db, livemode: boolean, limit: number): Promise<AdjustmentRow[]> {
  return db<AdjustmentRow[]>`
    select ${db(columns)}
      from adjustments
     where status = 'proposed' and livemode = ${livemode}
     order by proposed_at
     limit ${limit}`
}

/** Decides an adjustment that waits. Null when another person decided it first. The database refuses the proposer. */
export async function decideAdjustment(
  tx: Tx,
  key: Tenant & { id: string },
  decision: { status: 'approved' | 'refused'; decided_by: string },
): Promise<AdjustmentRow | null> {
  const [row] = await tx<AdjustmentRow[]>`
    update adjustments
       set status = ${decision.status}, decided_by = ${decision.decided_by}, decided_at = clock_now()
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.id}
       and status = 'proposed'
    returning ${tx(columns)}`
  return row ?? null
}
