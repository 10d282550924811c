import { takeAdvisoryLock, tryAdvisoryLock } from '../platform/postgres/advisory-lock.ts'
import type { Db, Statement, Tx } from '../platform/postgres/database.ts'
import { given, sameRow } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'
import type { IdPrefix } from '../values/ids.ts'
import type { ListedKind, OperationKind } from './listed-operation.ts'

/** The sources from which the worker learns of new operations and of moves. */
export type Source = 'new payments' | 'new payouts' | 'new events' | 'payments again' | 'payouts again'

export type OperationKey = Tenant & { id: string }
export type KeyOfKind = OperationKey & { kind: ListedKind }

/** The kind of operations in each source. Events are of all kinds. */
const kindsOf: Readonly<Record<Exclude<Source, 'new events'>, ListedKind>> = {
  'new payments': 'payment',
  'new payouts': 'payout',
  'payments again': 'payment',
  'payouts again': 'payout',
}

/** The owners' views, each with the same columns. */
export const views: Readonly<Record<OperationKind, string>> = {
  payment: 'payment_listing',
  payout: 'payout_listing',
  batch: 'batch_listing',
  settlement: 'settlement_listing',
  refund: 'refund_listing',
}

/** Returns the prefix of the identifiers in the order of which a source is read. */
export function prefixOf(source: Source): IdPrefix {
  return source === 'new events' ? 'evt' : 'txn'
}

/**
 * Locks the listing of operations until the transaction ends, for all sources, so that each operation counts once in the daily figures. False
 * when another transaction holds the lock.
 */
export function lockFilling(tx: Tx): Promise<boolean> {
  return tryAdvisoryLock(tx, 'listings')
}

/** Like `lockFilling`, for the repair: waits at most a minute for the worker's step to end. */
export async function awaitFilling(tx: Tx): Promise<void> {
  await tx`set local lock_timeout = '1min'`
  await takeAdvisoryLock(tx, 'listings')
}

/**
 * Lets one transaction at a time read and count unlisted operations, also if two workers run a step: the connection that holds `lockFilling`
 * may be lost in the middle of a step. The second worker then reads the rows that the first one wrote.
 */
export function lockCounting(tx: Tx): Promise<void> {
  return takeAdvisoryLock(tx, 'daily figures')
}

/** Reads the worker's progress in a source: the identifier below which it has read all rows. */
export async function readProgress(tx: Tx, source: Source): Promise<string> {
  const [row] = await tx<{ before_id: string }[]>`
    select before_id
      from listing_progress
     where source = ${source}`
  return row!.before_id
}

/** Writes the worker's progress in a source. The transaction holds the lock of `lockFilling`. */
export async function writeProgress(tx: Tx, source: Source, before_id: string): Promise<void> {
  await tx`
    update listing_progress
       set before_id = ${before_id}
     where source = ${source}`
}

/** A part of a source: identifiers, of one merchant and mode or of all. */
type Stretch = { tenant: Tenant | null; from: string; until: string; limit: number }

/**
 * Reads the operations in a part of a source that are not listed, or listed in an earlier state, and the identifier at which the next part
 * begins. Null when this was all up to `until`.
 */
export async function readUnlisted(
  tx: Tx,
  source: Source,
  { tenant, from, until, limit }: Stretch,
): Promise<{ keys: KeyOfKind[]; next: string | null }> {
  const own = tenant === null ? tx`` : tx`merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode} and`
  const bounds = tx`where ${own} id >= ${from} and id < ${until} order by id`
  if (source === 'new events') return readMoved(tx, bounds, limit)
  const kind = kindsOf[source]
  const rows = await tx<OperationKey[]>`
    select merchant_id, livemode, id
      from ${tx(views[kind])}
     ${bounds}
     limit ${limit + 1}`
  return { keys: rows.slice(0, limit).map((row) => ({ ...row, kind })), next: rows[limit]?.id ?? null }
}

/**
 * Reads the operations of events, each once. It leaves out operations that the worker has not passed yet: it will list them in their state of
 * then, with this event.
 */
async function readMoved(
  tx: Tx,
  bounds: Statement<object[]>,
  limit: number,
): Promise<{ keys: KeyOfKind[]; next: string | null }> {
  const passed = { payment: await readProgress(tx, 'new payments'), payout: await readProgress(tx, 'new payouts') }
  const rows = await tx<(Tenant & { id: string; type: string; subject_id: string })[]>`
    select merchant_id, livemode, id, type, subject_id
      from event_subjects
     ${bounds}
     limit ${limit + 1}`
  const keys = new Map<string, KeyOfKind>()
  for (const { merchant_id, livemode, type, subject_id } of rows.slice(0, limit)) {
    const kind = kindOfEvent(type)
    if (kind === null || subject_id >= passed[kind]) continue
    keys.set(subject_id, { merchant_id, livemode, id: subject_id, kind })
  }
  return { keys: [...keys.values()], next: rows[limit]?.id ?? null }
}

function kindOfEvent(type: string): ListedKind | null {
  const [noun] = type.split('.')
  return noun === 'payment' || noun === 'payout' ? noun : null
}

const keyFields = ['merchant_id', 'livemode', 'id'] as const

const listedFields = [
  ...keyFields,
  'version',
  'status',
  'amount',
  'operator',
  'last4',
  'compared_reference',
  'failure_code',
] as const

/** An operation that is not listed, or listed in an earlier state. */
export type Unlisted = OperationKey & {
  version: number
  status: string
  amount: number
  operator: string | null
  last4: string | null
  compared_reference: string | null
  /** Null when it did not fail. */
  failure_code: string | null
  /** The status in which it is listed. Null when it is not listed. */
  listed_status: string | null
}

/** Reads the current state of those operations that are not listed, or moved since they were listed. */
export function readUnlistedOf(tx: Tx, kind: ListedKind, keys: readonly OperationKey[]): Promise<Unlisted[]> {
  return readAgainstList(tx, kind, keys, tx`l.version is null or l.version < s.version`)
}

/** Reads the current state of those operations that are missing or wrong in the list. */
export function readMislistedOf(tx: Tx, kind: ListedKind, keys: readonly OperationKey[]): Promise<Unlisted[]> {
  const columns = listedFields.filter((field) => !keyFields.some((key) => key === field))
  const [listed, standing] = ['l', 's'].map((row) => tx(columns.map((column) => `${row}.${column}`)))
  return readAgainstList(tx, kind, keys, tx`l.version is null or (${listed!}) is distinct from (${standing!})`)
}

/**
 * Reads the current state, `s`, of those operations whose row of the list, `l`, meets a condition. `offset 0` keeps the order of the join,
 * each row by its key, also while the planner believes that the table is empty.
 */
async function readAgainstList(
  tx: Tx,
  kind: ListedKind,
  keys: readonly OperationKey[],
  isWrong: Statement<object[]>,
): Promise<Unlisted[]> {
  const reference = kind === 'payout' ? tx`s.compared_reference` : tx`null::text`
  return tx<Unlisted[]>`
    select s.merchant_id, s.livemode, s.id, s.version, s.status, s.amount, s.operator, s.last4,
           s.compared_reference, s.failure_code, l.status as listed_status
      from ${given(tx, 'listed_operations k', keys, keyFields)}
     cross join lateral (
       select s.merchant_id, s.livemode, s.id, s.version, s.status, s.amount, s.operator, s.last4, ${reference} as compared_reference,
              case when s.status = 'failed' then s.failure_code end as failure_code
         from ${tx(views[kind])} s
        where ${sameRow(tx, 's', 'k', keys, 'id')}
       offset 0) s
      left join lateral (
       select l.version, l.status, l.amount, l.operator, l.last4, l.compared_reference, l.failure_code
         from listed_operations l
        where l.kind = ${kind} and ${sameRow(tx, 'l', 'k', keys, 'id')}
       offset 0) l on true
     where ${isWrong}
     order by s.merchant_id, s.livemode, s.id`
}

/**
 * Writes operations into the list: inserts new ones and updates moved ones. Of two workers the later state stays. Rows are written in the
 * order of their keys, so that two workers never deadlock.
 */
export async function writeListed(tx: Tx, kind: ListedKind, operations: readonly Unlisted[]): Promise<void> {
  await tx`
    insert into listed_operations as o
           (merchant_id, livemode, kind, id, version, status, amount, operator, last4, compared_reference, failure_code)
    select merchant_id, livemode, ${kind}, id, version, status, amount, operator, last4, compared_reference, failure_code
      from ${given(tx, 'listed_operations n', operations, listedFields)}
     order by merchant_id, livemode, id
    on conflict (merchant_id, livemode, kind, id) do update
      set version = excluded.version, status = excluded.status, failure_code = excluded.failure_code
      where o.version < excluded.version`
}

/** Counts each amount in a part of the list, by one index. @param of `limit`: the most operations to count */
export function readAmounts(
  db: Db,
  { merchant_id, livemode }: Tenant,
  of: { kind: ListedKind; statuses: readonly string[]; from: string; before: string; limit: number },
): Promise<{ amount: number; operations: number }[]> {
  return db<{ amount: number; operations: number }[]>`
    select amount, count(*)::integer as operations
      from (select amount
              from listed_operations
             where merchant_id = ${merchant_id} and livemode = ${livemode} and kind = ${of.kind}
               and status = any(${[...of.statuses]}) and id >= ${of.from} and id < ${of.before}
             limit ${of.limit}) counted
     group by amount`
}

/** Lets a transaction wait for a slow reader of a download. Other transactions have shorter timeouts. */
export async function setReaderPatience(tx: Tx): Promise<void> {
  await tx`set local idle_in_transaction_session_timeout = '5min'`
}
