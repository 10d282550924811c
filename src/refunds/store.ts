import type { PaymentKey } from '../payments/store.ts'
import type { Db, Tx } from '../platform/postgres/database.ts'
import { createTransitionWriter } from '../platform/postgres/record-transitions.ts'
import { insertRows, matching } from '../platform/postgres/rows.ts'
import { secondsSince } from '../platform/postgres/seconds-since.ts'
import type { Tenant } from '../values/caller.ts'
import type { RefundRow } from './refund.ts'

export type RefundKey = Tenant & { refund_id: string }

/** A refund to insert: `requested`, or `manual` when a person makes it by hand. */
export type NewRefund = Omit<
  RefundRow,
  'closed_by' | 'hand_reference' | 'closing_reason' | 'failure_code' | 'concluded_at'
> & { readonly wallet: string }

const columns = [
  'merchant_id',
  'livemode',
  'id',
  'payment_id',
  'amount',
  'amount_returned',
  'fee_amount',
  'net_amount',
  'currency',
  'status',
  'operator',
  'wallet',
  'by_hand',
  'reason',
  'request_key',
  'asked_amount',
  'requested_by',
  'closed_by',
  'hand_reference',
  'closing_reason',
  'failure_code',
  'created_at',
  'concluded_at',
]

/**
 * Inserts a refund, without waiting for the answer. The index `refunds_key` refuses a key that another refund of this merchant has in
 * this mode.
 */
export function insertRefunds(tx: Tx, refunds: readonly NewRefund[]): void {
  insertRows(tx, 'refunds', refunds)
}

/** Reads the refund that a key made. Null when it made none. */
export async function readRefundByKey(db: Db, tenant: Tenant, request_key: string): Promise<RefundRow | null> {
  const [row] = await db<RefundRow[]>`
    select ${db(columns)}
      from refunds
     where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode} and request_key = ${request_key}`
  return row ?? null
}

/**
 * Reads the sum of a payment's refunds that have not failed, the number of failed refunds whose key begins with `command`, and whether
 * an adjustment corrected the payment's amount.
 * The caller holds the payment's lock, so that no other refund is added meanwhile. A refund that fails meanwhile only leaves more to
 * refund.
 */
export async function readGiven(
  db: Db,
  key: PaymentKey,
  command: string,
): Promise<{ amount: number; fee_amount: number; failed: number; corrected: boolean }> {
  const [row] = await db<{ amount: number; fee_amount: number; failed: number; corrected: boolean }[]>`
    select coalesce(sum(amount) filter (where status <> 'failed'), 0)::bigint as amount,
           coalesce(sum(fee_amount) filter (where status <> 'failed'), 0)::bigint as fee_amount,
           count(*) filter (where status = 'failed' and starts_with(request_key, ${command})) as failed,
           exists (
             select from reported_anomalies n
               join approved_adjustments a
                 on (a.merchant_id, a.livemode, a.anomaly_id) = (n.merchant_id, n.livemode, n.id)
              where n.merchant_id = ${key.merchant_id} and n.livemode = ${key.livemode}
                and n.subject_id = ${key.payment_id}) as corrected
      from refunds
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and payment_id = ${key.payment_id}`
  return row!
}

/** Reads a refund of any merchant, for staff. Null when there is none. */
export async function findRefund(db: Db, refund_id: string): Promise<RefundRow | null> {
  const [row] = await db<RefundRow[]>`
    select ${db(columns)}
      from refunds
     where id = ${refund_id}`
  return row ?? null
}

/** Reads a refund. Null when it is not this caller's. */
export async function readRefund(db: Db, key: RefundKey): Promise<RefundRow | null> {
  const [row] = await db<RefundRow[]>`
    select ${db(columns)}
      from refunds
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.refund_id}`
  return row ?? null
}

/** Lists a merchant's refunds in one mode, newest first. */
export async function readRefunds(db: Db, tenant: Tenant, limit: number): Promise<RefundRow[]> {
  return db<RefundRow[]>`
    select ${db(columns)}
      from refunds
     where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}
     order by id desc
     limit ${limit}`
}

/** Lists a payment's refunds, oldest first. */
export async function readRefundsOf(db: Db, key: PaymentKey, limit: number): Promise<RefundRow[]> {
  return db<RefundRow[]>`
    select ${db(columns)}
      from refunds
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and payment_id = ${key.payment_id}
     order by id
     limit ${limit}`
}

/**
 * The condition of refunds that need a person: those to be made by hand, and those unsent for an hour, such as one that waits for another
 * refund of its payment whose outcome is unknown.
 */
const waiting = (db: Db) =>
  db`status in ('manual', 'requested') and (status = 'manual' or created_at < clock_now() - interval '1 hour')`

/** Lists the refunds of all merchants that need a person, oldest first. */
export async function readWaitingRefunds(db: Db, livemode: boolean | null, limit: number): Promise<RefundRow[]> {
  return db<RefundRow[]>`
    select ${db(columns)}
      from refunds
     where ${waiting(db)}
       ${livemode === null ? db`` : db`and livemode = ${livemode}`}
     order by created_at
     limit ${limit}`
}

/** A refund that the transaction has locked, with the number of its transitions so far. */
export type LockedRefund = RefundRow & { transition_count: number }

/** Locks refunds for the rest of the transaction, in one order, so that transitions are decided on their current state. */
export async function lockRefunds(tx: Tx, keys: readonly RefundKey[]): Promise<LockedRefund[]> {
  return tx<LockedRefund[]>`
    select ${tx(columns.map((column) => `r.${column}`))}, r.transition_count
      from ${matching(tx, 'refunds r', keys, { id: 'refund_id' })}
     order by r.merchant_id, r.livemode, r.id
       for no key update of r`
}

/** Writes the new states of locked refunds, and a row for each transition. */
export const updateRefunds = createTransitionWriter(
  { table: 'refunds', log: 'refund_transitions_log', subject: 'refund_id' },
  ['failure_code', 'closed_by', 'hand_reference', 'closing_reason', 'concluded_at'],
)

/** Seconds for which the oldest refund that needs a person has waited. 0 when there is none. */
export async function readRefundWait(db: Db): Promise<number> {
  return secondsSince(db, db`select min(created_at) from refunds where ${waiting(db)}`)
}
