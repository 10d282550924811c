import type { Db, Statement, Tx } from '../../platform/postgres/database.ts'
import { given, insertRows, matching, sameRow } from '../../platform/postgres/rows.ts'
import type { Tenant } from '../../values/caller.ts'
import type { Instruction, InstructionKey } from '../instruction.ts'
import { columns } from '../store.ts'
import { LOST_JOB_SECONDS } from './jobs.ts'
import type { Terms } from './send-terms.ts'

/** Inserts instructions in the state `sending`. Does not wait: they travel with the next statement. */
export function insertSending(tx: Tx, begun: readonly Instruction[]): void {
  insertRows(tx, 'instructions', begun)
}

/**
 * A prepared instruction.
 * - `is_behind`: a refund that another refund of the same payment precedes (`goesBefore`).
 * - `reference_used`: an order was sent under its reference before. Before its own first send that was another order.
 */
export type Prepared = Instruction & { locked_at: Date; is_behind: boolean; reference_used: boolean }

/**
 * Locks prepared instructions that may be sent now, in key order. The result leaves out those that another run has
 * begun, payouts and refunds that are stopped, and collections older than `expiry_hours`: the sweep expires these,
 * because nobody expects a request for yesterday's payment.
 */
export async function lockPrepared(tx: Tx, keys: readonly InstructionKey[], expiry_hours: number): Promise<Prepared[]> {
  return tx<Prepared[]>`
    select ${tx(columns.map((column) => `i.${column}`))}, clock_now() as locked_at,
           exists (
             select
               from operator_references r
              where r.reference = i.reference::text) as reference_used,
           i.direction = 'refund' and exists (
             select
               from refunds_to_conclude own
               join refunds_to_conclude before on ${sameRow(tx, 'before', 'own', keys, 'payment_id')}
              where ${sameRow(tx, 'own', 'i', keys, { refund_id: 'subject_id' })}
                and ${goesBefore(tx)}) as is_behind
      from ${matching(tx, 'instructions i', keys, 'subject_id')}
     where i.state = 'prepared'
       ${mayLeaveNow(tx, expiry_hours)}
     order by i.merchant_id, i.livemode, i.subject_id
       for no key update of i`
}

/**
 * SQL condition: of two unfinished refunds of one payment (`refunds_to_conclude`), `before` precedes `own`. A refund
 * in progress precedes all that are only requested, so that two never wait for one another. Among requested ones the
 * oldest comes first.
 */
function goesBefore(db: Db): Statement<object[]> {
  return db`${turnOf(db, 'before')} < ${turnOf(db, 'own')}`
}

/** The sort key of a refund among those of its payment, as an SQL row. */
function turnOf(db: Db, refund: 'before' | 'own'): Statement<object[]> {
  return db`(${db(`${refund}.status`)} = 'requested', ${db(`${refund}.created_at`)}, ${db(`${refund}.refund_id`)})`
}

/**
 * The first refund that precedes this one, where the operator takes refunds of a payment in turn. Null when none does,
 * or when this one was sent already.
 */
export async function readRefundBefore(
  db: Db,
  { merchant_id, livemode, refund_id }: Tenant & { refund_id: string },
): Promise<string | null> {
  const [row] = await db<{ refund_id: string }[]>`
    select before.refund_id
      from refunds_to_conclude own
      join refunds_to_conclude before on ${sameRow(db, 'before', 'own', [{ merchant_id }], 'payment_id')}
     where own.merchant_id = ${merchant_id} and own.livemode = ${livemode} and own.refund_id = ${refund_id}
       and own.status = 'requested'
       and ${goesBefore(db)}
     order by ${turnOf(db, 'before')}
     limit 1`
  return row?.refund_id ?? null
}

/** An instruction in doubt, with the terms of its last send, and the milliseconds from its first send to that one. */
export type NotHeld = Instruction & { last_terms: Terms; last_sent: number }

/**
 * Locks the instructions in doubt that the operator has said it does not hold, since the last send and by the terms of
 * that send. The rule is that of `check_send`, which refuses a send without this evidence. The result leaves out all
 * others, and those that are stopped or too old to send now.
 */
export async function lockNotHeld(tx: Tx, keys: readonly InstructionKey[], expiry_hours: number): Promise<NotHeld[]> {
  const rows = await tx<(Instruction & Terms & { last_sent: number })[]>`
    select ${tx(columns.map((column) => `i.${column}`))}, last.payload_hash, last.again_times, last.again_after_seconds,
           (extract(epoch from clock_now() - i.sent_at) * 1000)::double precision as sent_ms_ago,
           (extract(epoch from last.sent_at - i.sent_at) * 1000)::double precision as last_sent
      from ${matching(tx, 'instructions i', keys, 'subject_id')}
      join sends last on ${sameRow(tx, 'last', 'i', keys, { subject_id: 'subject_id', attempt: 'attempts' })}
     where i.state = 'unknown'
       and exists (
             select
               from operator_answers a
              where ${sameRow(tx, 'a', 'i', keys, 'subject_id')}
                and a.source = 'inquiry'
                and a.outcome = 'not_found'
                and a.answered_at > last.sent_at
             having count(*) >= last.again_times
                and max(a.answered_at) >= last.sent_at + make_interval(secs => last.again_after_seconds))
       ${mayLeaveNow(tx, expiry_hours)}
     order by i.merchant_id, i.livemode, i.subject_id
       for no key update of i`
  return rows.map(({ payload_hash, again_times, again_after_seconds, ...instruction }) => {
    return { ...instruction, last_terms: { payload_hash, again_times, again_after_seconds } }
  })
}

/**
 * SQL conditions to append for an instruction `i`: a collection is not too old, and a payout or refund is not stopped.
 */
function mayLeaveNow(tx: Tx, expiry_hours: number) {
  return tx`
    and (i.direction <> 'collect' or i.created_at > clock_now() - make_interval(hours => ${expiry_hours}))
    and (i.direction = 'collect' or not exists (
          select from stops_in_force s
           where s.scope = 'all'
              or (s.scope = 'operator' and s.value = i.operator)
              or (s.scope = 'merchant' and s.value = i.merchant_id::text)))`
}

/** The columns that a send writes, after the key of its row. */
const begunColumns = [
  ...(['merchant_id', 'livemode', 'subject_id'] as const),
  ...(['state', 'reference', 'connector', 'operator_state', 'attempts', 'sent_again', 'sent_at'] as const),
] as const

/** Writes locked instructions whose next send begins. Does not wait. */
export function updateSending(tx: Tx, begun: readonly Instruction[]): void {
  if (begun.length === 0) return
  tx.send(tx`
    update instructions i
       set state = k.state, reference = k.reference, connector = k.connector, operator_state = k.operator_state, attempts = k.attempts,
           sent_again = k.sent_again, sent_at = k.sent_at,
           next_check_at = clock_now() + make_interval(secs => ${LOST_JOB_SECONDS})
      from ${given(tx, 'instructions k', begun, begunColumns)}
     where ${sameRow(tx, 'i', 'k', begun, 'subject_id')}`)
}

/** Writes the `next_check_at` of locked instructions that wait. Does not wait. */
export function updateWaiting(tx: Tx, waiting: readonly Instruction[]): void {
  if (waiting.length === 0) return
  tx.send(tx`
    update instructions i
       set next_check_at = k.next_check_at
      from ${given(tx, 'instructions k', waiting, ['merchant_id', 'livemode', 'subject_id', 'next_check_at'])}
     where ${sameRow(tx, 'i', 'k', waiting, 'subject_id')}`)
}

/** Refuses locked instructions that will never be sent, with their failure codes. Does not wait. */
export function updateNotRoutable(
  tx: Tx,
  refused: readonly (InstructionKey & Pick<Instruction, 'state' | 'failure_code'>)[],
): void {
  if (refused.length === 0) return
  tx.send(tx`
    update instructions i
       set state = k.state, failure_code = k.failure_code, next_check_at = null, concluded_at = clock_now()
      from ${given(tx, 'instructions k', refused, ['merchant_id', 'livemode', 'subject_id', 'state', 'failure_code'])}
     where ${sameRow(tx, 'i', 'k', refused, 'subject_id')}`)
}
