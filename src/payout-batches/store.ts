import type { OrderKey } from '../operators/reference.ts'
import type { Db, Tx } from '../platform/postgres/database.ts'
import { type RowsWanted, readNewestPage, readWaitingPage } from '../platform/postgres/row-pages.ts'
import { findKeyById, given, insertRows, matching, sameRow } from '../platform/postgres/rows.ts'
import { secondsSince } from '../platform/postgres/seconds-since.ts'
import { type Tenant, tenantOf } from '../values/caller.ts'
import type { Page, PageWanted } from '../values/page.ts'
import type { BatchRow, LineFailure, LineRow, LineStatus } from './batch.ts'

export type BatchKey = Tenant & { batch_id: string }

/** Returns the key of a batch. */
export function keyOf({ merchant_id, livemode, id: batch_id }: BatchRow): BatchKey {
  return { merchant_id, livemode, batch_id }
}

/** The columns of a batch that every query reads. */
export const batchColumns = [
  'merchant_id',
  'livemode',
  'id',
  'status',
  'reference',
  'currency',
  'total_amount',
  'line_count',
  'cap_day',
  'made_by',
  'approved_at',
  'created_at',
  'executed_at',
  'finished_at',
]

const lineColumns = [
  'rank',
  'status',
  'amount',
  'fee_amount',
  'beneficiary_id',
  'archived_before',
  'is_inline',
  'name',
  'label',
  'msisdn',
  'operator',
  'reference',
  'payout_id',
  'failure_code',
]

/** Inserts batches with their lines, all `pending`. */
export function insertBatches(
  tx: Tx,
  made: readonly { batch: BatchRow & { order_key: OrderKey }; lines: readonly LineRow[] }[],
): void {
  insertRows(
    tx,
    'payout_batches',
    made.map(({ batch }) => batch),
  )
  insertRows(
    tx,
    'payout_batch_lines',
    made.flatMap(({ batch, lines }) => lines.map((line) => ({ ...line, ...tenantOf(batch), batch_id: batch.id }))),
  )
}

/** Reads one batch. Null when it is not this caller's. */
export async function readBatch(db: Db, key: BatchKey): Promise<BatchRow | null> {
  const [row] = await db<BatchRow[]>`
    select ${db(batchColumns)}
      from payout_batches
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.batch_id}`
  return row ?? null
}

/** Reads the lines of a batch, in the order of their ranks. */
export async function readLines(db: Db, key: BatchKey): Promise<LineRow[]> {
  return db<LineRow[]>`
    select ${db(lineColumns)}
      from payout_batch_lines
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and batch_id = ${key.batch_id}
     order by rank`
}

/** Sums the fees of a batch's lines, in francs. */
export async function readFees(db: Db, key: BatchKey): Promise<number> {
  const [row] = await db<{ fees: number }[]>`
    select coalesce(sum(fee_amount), 0)::bigint as fees
      from payout_batch_lines
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and batch_id = ${key.batch_id}`
  return row!.fees
}

/** Returns the ids of those batches that still have lines without an outcome. */
export async function findRunning(db: Db, keys: readonly BatchKey[]): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select b.id
      from ${matching(db, 'payout_batches b', keys, { id: 'batch_id' })}
     where b.status = 'en_cours'`
  return rows.map(({ id }) => id)
}

/** Reads these batches of the caller, newest first. Those of others are absent. */
export async function readBatchesOf(
  db: Db,
  { merchant_id, livemode }: Tenant,
  ids: readonly string[],
): Promise<BatchRow[]> {
  return db<BatchRow[]>`
    select ${db(batchColumns)}
      from payout_batches
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = any(${ids})
     order by id desc`
}

/** Finds a batch by its id alone. Null when there is none. */
export const findBatch = (db: Db, id: string): Promise<BatchKey | null> =>
  findKeyById(db, 'payout_batches', 'batch_id', id)

/** A locked batch, with its decider and executor, and the counts of its open and bad lines. */
export type LockedBatch = BatchRow & {
  decided_by: string | null
  decline_reason: string | null
  /** The person, or the API key as `key:…`. */
  executed_by: string | null
  open_lines: number
  bad_lines: number
  /** Null: an earlier version made the batch. */
  order_key: OrderKey | null
}

/** Locks batches in one order until the transaction ends, so that an execution, a cancellation and a decision take turns. */
export async function lockBatches(tx: Tx, keys: readonly BatchKey[]): Promise<LockedBatch[]> {
  const lockedColumns = [
    ...batchColumns,
    'decided_by',
    'decline_reason',
    'executed_by',
    'open_lines',
    'bad_lines',
    'order_key',
  ].map((column) => `b.${column}`)
  return tx<LockedBatch[]>`
    select ${tx(lockedColumns)}
      from ${matching(tx, 'payout_batches b', keys, { id: 'batch_id' })}
     order by b.merchant_id, b.livemode, b.id
       for no key update of b`
}

/** Writes locked batches after each of their moves. The database's trigger refuses a move that its table does not have. */
export function updateBatches(tx: Tx, batches: readonly LockedBatch[]): void {
  for (const batch of batches) {
    tx.send(tx`
      update payout_batches
         set status = ${batch.status}, decided_by = ${batch.decided_by}, decline_reason = ${batch.decline_reason},
             approved_at = ${batch.approved_at}, executed_by = ${batch.executed_by},
             open_lines = ${batch.open_lines}, bad_lines = ${batch.bad_lines},
             executed_at = ${batch.executed_at}, finished_at = ${batch.finished_at}
       where merchant_id = ${batch.merchant_id} and livemode = ${batch.livemode} and id = ${batch.id}`)
  }
}

/** Cancels all lines of batches that will not be sent. */
export function cancelLines(tx: Tx, keys: readonly BatchKey[]): void {
  for (const key of keys) {
    tx.send(tx`
      update payout_batch_lines
         set status = 'cancelled'
       where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and batch_id = ${key.batch_id}`)
  }
}

/** The outcome of a line. An absent book entry or payout stays as it is. */
export type LineOutcome = BatchKey & {
  rank: number
  status: LineStatus
  failure_code: LineFailure | null
  beneficiary_id?: string
  payout_id?: string
}

const outcomeFields = [
  'merchant_id',
  'livemode',
  'batch_id',
  'rank',
  'status',
  'failure_code',
  'payout_id',
  'beneficiary_id',
] as const

export function updateLines(tx: Tx, outcomes: readonly LineOutcome[]): void {
  tx.send(tx`
    update payout_batch_lines l
       set status = n.status, failure_code = n.failure_code, payout_id = coalesce(n.payout_id, l.payout_id),
           beneficiary_id = coalesce(n.beneficiary_id, l.beneficiary_id)
      from ${given(tx, 'payout_batch_lines n', outcomes, outcomeFields)}
     where ${sameRow(tx, 'l', 'n', outcomes, ['batch_id', 'rank'])}`)
}

/** A locked line. */
export type LockedLine = BatchKey & { rank: number; status: LineStatus }

/** Locks lines in one order until the transaction ends. */
export async function lockLines(
  tx: Tx,
  keys: readonly Pick<LineOutcome, keyof BatchKey | 'rank'>[],
): Promise<LockedLine[]> {
  return tx<LockedLine[]>`
    select l.merchant_id, l.livemode, l.batch_id, l.rank, l.status
      from ${matching(tx, 'payout_batch_lines l', keys, ['batch_id', 'rank'])}
     order by l.merchant_id, l.livemode, l.batch_id, l.rank
       for no key update of l`
}

/** Lists batches without their lines, newest first. */
export function readBatchesPage(db: Db, wanted: RowsWanted & PageWanted): Promise<Page<BatchRow>> {
  return readNewestPage<BatchRow>(db, { table: 'payout_batches', columns: batchColumns, prefix: 'pob' }, wanted)
}

/** Lists batches that wait for an approval, oldest first. */
export function readWaitingBatches(db: Db, wanted: { tenant: Tenant | null } & PageWanted): Promise<Page<BatchRow>> {
  const waiting = db`status = 'en_attente_validation'`
  return readWaitingPage<BatchRow>(db, { table: 'payout_batches', columns: batchColumns, waiting }, wanted)
}

/** Reads for how many seconds the oldest batch has waited for an approval. 0 when none waits. */
export async function readBatchWait(db: Db): Promise<number> {
  return secondsSince(
    db,
    db`
      select created_at
        from payout_batches
       where status = 'en_attente_validation'
       order by id
       limit 1`,
  )
}
