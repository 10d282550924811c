import type { Db, Tx } from '../platform/postgres/database.ts'
import { createTransitionWriter } from '../platform/postgres/record-transitions.ts'
import { type RowsWanted, readNewestPage } from '../platform/postgres/row-pages.ts'
import { findKeyById, given, insertRows, matching, sameRow } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'
import type { Page, PageWanted } from '../values/page.ts'
import type { PayoutRow } from './payout.ts'

export type PayoutKey = Tenant & { payout_id: string }

/** A payout to insert. Its status `created` is the column's default. */
export type NewPayout = Omit<PayoutRow, 'status' | 'failure_code'>

const columns = [
  'merchant_id',
  'livemode',
  'id',
  'amount',
  'fee_amount',
  'total_debited',
  'currency',
  'beneficiary_id',
  'is_inline',
  'name',
  'label',
  'msisdn',
  'operator',
  'reference',
  'batch_id',
  'rank',
  'created_at',
  'status',
  'failure_code',
]

/** Inserts payouts. The unique index on batch and rank refuses a second payout for a batch line. */
export function insertPayouts(tx: Tx, payouts: readonly NewPayout[]): void {
  insertRows(tx, 'payouts', payouts)
}

/** One payout. Null when it is not the caller's. */
export async function readPayout(db: Db, key: PayoutKey): Promise<PayoutRow | null> {
  const [row] = await db<PayoutRow[]>`
    select ${db(columns)}
      from payouts
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.payout_id}`
  return row ?? null
}

/** A page of payouts, newest first. */
export function readPayoutsPage(db: Db, wanted: RowsWanted & PageWanted): Promise<Page<PayoutRow>> {
  return readNewestPage<PayoutRow>(db, { table: 'payouts', columns, prefix: 'txn' }, wanted)
}

/** These payouts, newest first. Payouts of other merchants are left out. */
export async function readPayoutsOf(
  db: Db,
  { merchant_id, livemode }: Tenant,
  ids: readonly string[],
): Promise<PayoutRow[]> {
  return db<PayoutRow[]>`
    select ${db(columns)}
      from payouts
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = any(${ids})
     order by id desc`
}

/** Finds a payout by its id alone. Null when there is none. */
export const findPayout = (db: Db, id: string): Promise<PayoutKey | null> => findKeyById(db, 'payouts', 'payout_id', id)

/** A payout that the transaction has locked, with the number of its transitions so far. */
export type LockedPayout = PayoutRow & { transition_count: number }

/** Locks payouts in key order until the transaction ends, and reads their current state. */
export async function lockPayouts(tx: Tx, keys: readonly PayoutKey[]): Promise<LockedPayout[]> {
  return tx<LockedPayout[]>`
    select ${tx(columns.map((column) => `p.${column}`))}, p.transition_count
      from ${matching(tx, 'payouts p', keys, { id: 'payout_id' })}
     order by p.merchant_id, p.livemode, p.id
       for no key update of p`
}

/** Writes the new state of locked payouts, and one history row for each transition. */
export const updatePayouts = createTransitionWriter(
  { table: 'payouts', log: 'payout_transitions_log', subject: 'payout_id' },
  ['failure_code'],
)

/**
 * The sum of a merchant's usage in one mode, brought to the present. The stored row has a pointer: the time up to which
 * expired usage was subtracted.
 */
export type CapTotal = Tenant & {
  /** Francs that count now, as text: the sum has no bound, so a JavaScript number may not hold it exactly. */
  used: string
  /** The database's time of this reading, to the microsecond. All usage that its transaction writes has this time. */
  read_at: string
  /** The new pointer: 24 hours before `read_at`. */
  until: string
  /**
   * Whether the stored pointer is more than a minute ahead: the clock ran ahead and was set back, so usage may have
   * times in the future.
   */
  clock_came_back: boolean
  operation: number | null
  day: number | null
  /** Whether nobody has checked the merchant, in live mode. */
  unchecked: boolean
}

/**
 * Reads the totals as of now. Call it with the transfer account locked, which keeps others from writing totals and
 * usage, or for display only. Usage that expired since the stored pointer is subtracted from the sum. When the clock
 * was set back, the pointer moves back, and the usage in between is added again.
 */
export async function readCapTotals(db: Db, tenants: readonly Tenant[]): Promise<CapTotal[]> {
  return db<CapTotal[]>`
    select t.merchant_id, t.livemode, c.operation, c.day, not s.is_checked as unchecked,
           (coalesce(w.used, 0) + coalesce((
              select sum(case when u.used_at > w.expired_until then -u.amount else u.amount end)
                from payout_cap_usage u
               where ${sameRow(db, 'u', 't', tenants)}
                 and u.used_at > least(w.expired_until, clock_now() - interval '24 hours')
                 and u.used_at <= greatest(w.expired_until, clock_now() - interval '24 hours')), 0))::text as used,
           to_char(clock_now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as read_at,
           to_char((clock_now() - interval '24 hours') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as until,
           coalesce(w.expired_until > clock_now() - interval '23 hours 59 minutes', false) as clock_came_back
      from ${given(db, 'payout_caps t', tenants, ['merchant_id', 'livemode'])}
      left join payout_cap_totals w on ${sameRow(db, 'w', 't', tenants)}
      left join payout_caps c on ${sameRow(db, 'c', 't', tenants)}
      left join merchant_modes s on ${sameRow(db, 's', 't', tenants)}`
}

/**
 * Writes totals as this transaction read them, plus `added` francs. Call it once in a transaction. At any time the sum
 * is that of the usage after the pointer. Both have the time of one reading, because a transaction has its own time on
 * each server of a cluster, and the clock can jump between two of them. When the clock was set back, usage with a time in
 * the future gets the present time. Usage less than a minute ahead may keep its time, and counts that much longer.
 */
export function writeCapTotals(tx: Tx, totals: readonly (CapTotal & { added: number })[]): void {
  const ahead = totals
    .filter(({ clock_came_back }) => clock_came_back)
    .map(({ merchant_id, livemode, read_at: used_at }) => ({ merchant_id, livemode, used_at }))
  if (ahead.length > 0) {
    tx.send(tx`
      update payout_cap_usage u
         set used_at = r.used_at
        from ${given(tx, 'payout_cap_usage r', ahead, ['merchant_id', 'livemode', 'used_at'])}
       where ${sameRow(tx, 'u', 'r', ahead)} and u.used_at > r.used_at`)
  }
  tx.send(tx`
    insert into payout_cap_totals (merchant_id, livemode, used, expired_until)
    select merchant_id, livemode, used + added::bigint, until::timestamptz
      from ${given(tx, 'payout_cap_totals r', totals, ['merchant_id', 'livemode', 'used', 'added', 'until'])}
    on conflict (merchant_id, livemode) do update
      set used = excluded.used, expired_until = excluded.expired_until`)
}

/** Francs of a payout, a request or a batch (`subject_id`) that count towards the day's cap. */
export type Usage = Tenant & { subject_id: string; amount: number }

/** Usage that counts for 24 hours from `used_at`, the `read_at` of the total that its transaction read. */
export type DatedUsage = Usage & { used_at: string }

/** Inserts usage. Call it with the transfer account locked, and write the total in the same transaction. */
export function insertUsage(tx: Tx, usages: readonly DatedUsage[]): void {
  insertRows(tx, 'payout_cap_usage', usages)
}

/**
 * Gives back the usage of a failed payout, a rejected request or a cancelled batch. The caller holds the lock of the
 * transfer account. Usage that the pointer has passed is no longer in the sum.
 */
export async function releaseUsage(tx: Tx, usages: readonly Usage[]): Promise<void> {
  await tx`
    with released as (
      update payout_cap_usage u
         set amount = u.amount - r.amount
        from (select merchant_id, livemode, subject_id, sum(amount)::bigint as amount
                from ${given(tx, 'payout_cap_usage j', usages, ['merchant_id', 'livemode', 'subject_id', 'amount'])}
               group by merchant_id, livemode, subject_id) r
       where ${sameRow(tx, 'u', 'r', usages, 'subject_id')}
      returning u.merchant_id, u.livemode, r.amount, u.used_at
    )
    update payout_cap_totals w
       set used = w.used - s.amount
      from (select r.merchant_id, r.livemode, sum(r.amount)::bigint as amount
              from released r
              join payout_cap_totals x on ${sameRow(tx, 'x', 'r', usages)}
             where r.used_at > x.expired_until
             group by r.merchant_id, r.livemode) s
     where ${sameRow(tx, 'w', 's', usages)}`
}

/** Whether usage still counts. @param until the pointer of the total as it was read: 24 hours before */
export async function isUsageCounted(
  db: Db,
  usage: Omit<Usage, 'amount'>,
  { until }: Pick<CapTotal, 'until'>,
): Promise<boolean> {
  const [row] = await db<{ counted: boolean }[]>`
    select used_at > ${until}::timestamptz as counted
      from payout_cap_usage
     where merchant_id = ${usage.merchant_id} and livemode = ${usage.livemode} and subject_id = ${usage.subject_id}`
  return row?.counted ?? false
}

/** Makes usage count for 24 hours from `used_at`. Write the total in the same transaction. */
export function renewUsage(tx: Tx, usages: readonly Omit<DatedUsage, 'amount'>[]): void {
  tx.send(tx`
    update payout_cap_usage u
       set used_at = r.used_at
      from ${given(tx, 'payout_cap_usage r', usages, ['merchant_id', 'livemode', 'subject_id', 'used_at'])}
     where ${sameRow(tx, 'u', 'r', usages, 'subject_id')}`)
}

/** Sets a merchant's own caps in one mode, in francs. Null leaves a cap unchanged. */
export async function writeCaps(
  db: Db,
  tenant: Tenant,
  caps: { operation: number | null; day: number | null },
): Promise<{ operation: number | null; day: number | null }> {
  const [row] = await db<{ operation: number | null; day: number | null }[]>`
    insert into payout_caps as c (merchant_id, livemode, operation, day)
    values (${tenant.merchant_id}, ${tenant.livemode}, ${caps.operation}, ${caps.day})
    on conflict (merchant_id, livemode) do update
      set operation = coalesce(excluded.operation, c.operation), day = coalesce(excluded.day, c.day)
    returning operation, day`
  return row!
}

/** A merchant's own caps in one mode, in francs. Null where it has none. */
export async function readCaps(db: Db, tenant: Tenant): Promise<{ operation: number | null; day: number | null }> {
  const [row] = await db<{ operation: number | null; day: number | null }[]>`
    select operation, day
      from payout_caps
     where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}`
  return row ?? { operation: null, day: null }
}

export type Stop = { scope: 'all' | 'operator' | 'merchant'; value: string }

/** A stop, in force or lifted. `value` is the operator or the merchant, empty for all payouts. */
export type StopRow = Stop & {
  stopped_by: string
  stopped_at: Date
  resume_asked_by: string | null
  resume_asked_at: Date | null
  lifted_by: string | null
  lifted_at: Date | null
  /** The reason for which the service stopped payouts itself, with its detail. Null: a person stopped. */
  cause: StopCause['cause'] | null
  cause_detail: string | null
}

/** A cause for which the service stops payouts itself. */
export type StopCause = { cause: 'collation_changed' | 'restored'; cause_detail: string }

const stopColumns = [
  ...['scope', 'value', 'stopped_by', 'stopped_at'],
  ...['resume_asked_by', 'resume_asked_at', 'lifted_by', 'lifted_at', 'cause', 'cause_detail'],
]

/** Locks the stop in force until the transaction ends. Null when there is none. */
export async function lockStop(tx: Tx, { scope, value }: Stop): Promise<StopRow | null> {
  const [row] = await tx<StopRow[]>`
    select ${tx(stopColumns)}
      from payout_stops
     where scope = ${scope} and value = ${value} and lifted_at is null
       for update`
  return row ?? null
}

/**
 * Inserts a stop: once it is committed, no send of these payouts begins. False when somebody else stopped them at the
 * same moment.
 */
export async function insertStop(tx: Tx, { scope, value }: Stop, stopped_by: string): Promise<boolean> {
  const { count } = await tx`
    insert into payout_stops (scope, value, stopped_by)
    values (${scope}, ${value}, ${stopped_by})
    on conflict do nothing`
  return count > 0
}

/** Whether this cause has stopped payouts, now or once: people who lifted its stop said that it is mended. */
export async function isKnownCause(db: Db, { cause, cause_detail }: StopCause): Promise<boolean> {
  const rows = await db`
    select from payout_stops
     where cause = ${cause} and cause_detail = ${cause_detail}
     limit 1`
  return rows.length > 0
}

/** Gives the stop in force a cause, and cancels a request to resume: two people have to agree with the cause in view. */
export async function setStopCause(tx: Tx, { scope, value }: Stop, { cause, cause_detail }: StopCause): Promise<void> {
  await tx`
    update payout_stops
       set cause = ${cause}, cause_detail = ${cause_detail}, resume_asked_by = null, resume_asked_at = null
     where scope = ${scope} and value = ${value} and lifted_at is null`
}

/** Records the first of two people who want a locked stop lifted. */
export async function askToResume(tx: Tx, { scope, value }: Stop, person: string, at: Date): Promise<void> {
  await tx`
    update payout_stops
       set resume_asked_by = ${person}, resume_asked_at = ${at}
     where scope = ${scope} and value = ${value} and lifted_at is null`
}

/** Cancels a request to resume: two people have to agree anew. */
export async function takeBackResumption(tx: Tx, { scope, value }: Stop): Promise<void> {
  await tx`
    update payout_stops
       set resume_asked_by = null, resume_asked_at = null
     where scope = ${scope} and value = ${value} and lifted_at is null`
}

/** Lifts a stop for the second of two people. The row stays on record. */
export async function liftStop(tx: Tx, { scope, value }: Stop, person: string, at: Date): Promise<void> {
  await tx`
    update payout_stops
       set lifted_by = ${person}, lifted_at = ${at}
     where scope = ${scope} and value = ${value} and lifted_at is null`
}

/** A stop as the merchants concerned may know it. */
export type StopOf = Stop & { stopped_at: Date }

/** The stops in force that hold payouts of this merchant, oldest first. */
export async function readStopsOf(db: Db, merchant_id: number): Promise<StopOf[]> {
  return db<StopOf[]>`
    select scope, value, stopped_at
      from payout_stops
     where lifted_at is null and (scope in ('all', 'operator') or value = ${String(merchant_id)})
     order by stopped_at`
}

/** Stops, newest first. */
export async function readStops(db: Db, lifted: boolean, limit: number): Promise<StopRow[]> {
  return db<StopRow[]>`
    select ${db(stopColumns)}
      from payout_stops
     where lifted_at is null or ${lifted}::boolean
     order by stopped_at desc
     limit ${limit}`
}
