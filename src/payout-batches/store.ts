import { type Db, records, type Tx } from '../platform/postgres/database.ts'
import { type RowsWanted, readNewestPage } from '../platform/postgres/newest-page.ts'
import { onOneMachine } from '../platform/postgres/on-one-machine.ts'
import { secondsSince } from '../platform/postgres/seconds-since.ts'
import type { Tenant } from '../values/caller.ts'
import { type Page, type PageWanted, pageOf } from '../values/page.ts'
import type { BatchRow, BatchStatus, LineFailure, LineRow, LineStatus } from './batch.ts'

export type BatchKey = Tenant & { batch_id: string }

const batchColumns = [
  'merchant_id',
  'livemode',
  'id',
  'status',
  'reference',
  'currency',
  'total_amount',
  'line_count',
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

/** Writes batches with their lines, all `pending`. Does not wait. */
export function insertBatches(tx: Tx, made: readonly { batch: BatchRow; lines: readonly LineRow[] }[]): void {
  for (const { batch, lines } of made) {
    insertBatch(tx, batch)
    insertLines(tx, { merchant_id: batch.merchant_id, livemode: batch.livemode, batch_id: batch.id }, lines)
  }
}

function insertBatch(tx: Tx, batch: BatchRow): void {
  tx.send(tx`
    insert into payout_batches
      (merchant_id, livemode, id, status, reference, currency, total_amount, line_count, made_by, created_at)
    values (${batch.merchant_id}, ${batch.livemode}, ${batch.id}, ${batch.status}, ${batch.reference}, ${batch.currency},
            ${batch.total_amount}, ${batch.line_count}, ${batch.made_by}, ${batch.created_at})`)
}

function insertLines(tx: Tx, key: BatchKey, lines: readonly LineRow[]): void {
  tx.send(tx`
    insert into payout_batch_lines
      (merchant_id, livemode, batch_id, rank, amount, fee_amount, beneficiary_id, archived_before, is_inline, name,
       label, msisdn, operator, reference)
    select ${key.merchant_id}, ${key.livemode}, ${key.batch_id}, rank, amount, fee_amount, beneficiary_id,
           archived_before, is_inline, name, label, msisdn, operator, reference
      from json_to_recordset(${records(tx, lines)})
        as r(rank integer, amount bigint, fee_amount bigint, beneficiary_id uuid, archived_before integer,
             is_inline boolean, name text, label text, msisdn text, operator text, reference text)`)
}

/** One batch; null when it is not this caller's. */
export async function readBatch(db: Db, key: BatchKey): Promise<BatchRow | null> {
  const [row] = await db<BatchRow[]>`
    select ${db(batchColumns)}
      from payout_batches
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.batch_id}`
  return row ?? null
}

/** Its lines, in the order of their ranks. */
export async function readLines(db: Db, key: BatchKey): Promise<LineRow[]> {
  return db<LineRow[]>`
    select ${db(lineColumns)}
      from payout_batch_lines
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and batch_id = ${key.batch_id}
     order by rank`
}

/** The ones of these batches that still have lines without an outcome. */
export async function findRunning(db: Db, keys: readonly BatchKey[]): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select b.id
      from json_to_recordset(${records(db, keys)}) as k(merchant_id bigint, livemode boolean, batch_id text)
      join payout_batches b on (b.merchant_id, b.livemode, b.id) = (k.merchant_id, k.livemode, k.batch_id)
                               ${onOneMachine(db, 'b', keys)}
     where b.status = 'en_cours'`
  return rows.map(({ id }) => id)
}

/** The batch with this id, for the team, which knows no merchant yet. Null when there is none. */
export async function findBatch(db: Db, batch_id: string): Promise<BatchKey | null> {
  const [row] = await db<BatchKey[]>`
    select merchant_id, livemode, id as batch_id
      from payout_batches
     where id = ${batch_id}`
  return row ?? null
}

/** Locked until the transaction ends: of those who execute, cancel and decide at once, one sees it as it was. */
export async function lockBatch(tx: Tx, key: BatchKey): Promise<BatchRow | null> {
  const [row] = await tx<BatchRow[]>`
    select ${tx(batchColumns)}
      from payout_batches
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.batch_id}
       for no key update`
  return row ?? null
}

/** The changes of a move. `open_lines` and `bad_lines` are written anew at each; absent, they are zero. */
export type BatchMove = {
  to_status: BatchStatus
  decided_by?: string
  approved?: boolean
  open_lines?: number
  bad_lines?: number
}

/** Moves a batch that this transaction has locked; the trigger refuses what the table of moves does not have. */
export async function moveBatch(tx: Tx, key: BatchKey, move: BatchMove): Promise<BatchRow> {
  const { to_status, decided_by = null, approved = false, open_lines = 0, bad_lines = 0 } = move
  const [row] = await tx<BatchRow[]>`
    update payout_batches
       set status = ${to_status},
           decided_by = coalesce(${decided_by}, decided_by),
           approved_at = case when ${approved} then (select clock_now()) else approved_at end,
           open_lines = ${open_lines},
           bad_lines = ${bad_lines},
           executed_at = case when ${to_status} = 'en_cours' then (select clock_now()) else executed_at end,
           finished_at = case when ${to_status} in ('termine', 'termine_avec_erreurs') then (select clock_now()) end
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.batch_id}
    returning ${tx(batchColumns)}`
  return row!
}

export type LineStart = {
  rank: number
  status: LineStatus
  /** Null: it stays as it was. */
  beneficiary_id: string | null
  payout_id: string | null
  failure_code: LineFailure | null
}

/** Writes the outcome of each line when its batch is executed. */
export async function startLines(tx: Tx, key: BatchKey, lines: readonly LineStart[]): Promise<void> {
  await tx`
    update payout_batch_lines l
       set status = n.status, beneficiary_id = coalesce(n.beneficiary_id, l.beneficiary_id), payout_id = n.payout_id,
           failure_code = n.failure_code
      from json_to_recordset(${records(tx, lines)})
        as n(rank integer, status text, beneficiary_id uuid, payout_id text, failure_code text)
     where l.merchant_id = ${key.merchant_id} and l.livemode = ${key.livemode} and l.batch_id = ${key.batch_id}
       and l.rank = n.rank`
}

/** All lines of a batch that will not be sent. */
export async function cancelLines(tx: Tx, key: BatchKey): Promise<void> {
  await tx`
    update payout_batch_lines
       set status = 'cancelled'
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and batch_id = ${key.batch_id}`
}

export type LineOutcome = BatchKey & { rank: number; status: LineStatus; failure_code: LineFailure | null }

export type FollowedBatch = BatchRow & { open_lines: number; bad_lines: number }

/**
 * Brings lines to where their payouts are, and returns their batches with what is still open and what is bad, locked in
 * one order. A line is open until it first has an outcome; an indeterminate one that then proves good is bad no more.
 */
export async function followLines(tx: Tx, outcomes: readonly LineOutcome[]): Promise<FollowedBatch[]> {
  return tx<FollowedBatch[]>`
    with wanted as (
      select merchant_id, livemode, batch_id, rank, status, failure_code
        from json_to_recordset(${records(tx, outcomes)})
          as w(merchant_id bigint, livemode boolean, batch_id text, rank integer, status text, failure_code text)
    ), before as materialized (
      select l.merchant_id, l.livemode, l.batch_id, l.rank, l.status
        from payout_batch_lines l
        join wanted w on (l.merchant_id, l.livemode, l.batch_id, l.rank) = (w.merchant_id, w.livemode, w.batch_id, w.rank)
                     ${onOneMachine(tx, 'l', outcomes)}
       order by l.merchant_id, l.livemode, l.batch_id, l.rank
         for no key update of l
    ), followed as (
      update payout_batch_lines l
         set status = w.status, failure_code = w.failure_code
        from wanted w
       where (l.merchant_id, l.livemode, l.batch_id, l.rank) = (w.merchant_id, w.livemode, w.batch_id, w.rank)
             ${onOneMachine(tx, 'l', outcomes)}
    ), ended as (
      select w.merchant_id, w.livemode, w.batch_id,
             (count(*) filter (where b.status = 'processing'))::integer as lines,
             (count(*) filter (where b.status = 'processing' and w.status <> 'succeeded')
              - count(*) filter (where b.status = 'indeterminate' and w.status = 'succeeded'))::integer as bad
        from wanted w
        join before b using (merchant_id, livemode, batch_id, rank)
       group by w.merchant_id, w.livemode, w.batch_id
       order by w.merchant_id, w.livemode, w.batch_id
    )
    update payout_batches b
       set open_lines = b.open_lines - e.lines, bad_lines = b.bad_lines + e.bad
      from ended e
     where (b.merchant_id, b.livemode, b.id) = (e.merchant_id, e.livemode, e.batch_id)
       ${onOneMachine(tx, 'b', outcomes)}
    returning ${tx(batchColumns.map((column) => `b.${column}`))}, b.open_lines, b.bad_lines`
}

/** Batches, the newest first, without their lines. */
export function readBatchesPage(db: Db, wanted: RowsWanted & PageWanted): Promise<Page<BatchRow>> {
  return readNewestPage<BatchRow>(db, { table: 'payout_batches', columns: batchColumns, prefix: 'pob' }, wanted)
}

/** Batches that wait to be approved, the oldest first, along an index of those alone. */
export async function readWaitingBatches(
  db: Db,
  { tenant, limit, after }: { tenant: Tenant | null } & PageWanted,
): Promise<Page<BatchRow>> {
  const ofTenant =
    tenant === null ? db`` : db`and merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}`
  const rows = await db<BatchRow[]>`
    select ${db(batchColumns)}
      from payout_batches
     where status = 'en_attente_validation' and id > ${after ?? ''} ${ofTenant}
     order by id
     limit ${limit + 1}`
  return pageOf(rows, limit, ({ id }) => id)
}

/** Seconds for which the oldest batch has waited for validation; 0 without one. */
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
