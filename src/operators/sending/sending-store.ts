import type { Db, Statement, Tx } from '../../platform/postgres/database.ts'
import { given, insertRows, matching, sameRow } from '../../platform/postgres/rows.ts'
import type { Tenant } from '../../values/caller.ts'
import type { Instruction, InstructionKey } from '../instruction.ts'
import { columns } from '../store.ts'
import { LOST_JOB_SECONDS } from './jobs.ts'
import type { Terms } from './send-terms.ts'

/** Writes instructions that are "sending" from the first. Does not wait: they travel with what follows. */
export function insertSending(tx: Tx, begun: readonly Instruction[]): void {
  insertRows(tx, 'instructions', begun)
}

/** A prepared instruction. `is_behind`: it is a refund, and another of its payment goes before it (`goesBefore`). */
export type Prepared = Instruction & { locked_at: Date; is_behind: boolean }

/**
 * Locks prepared instructions that may be sent now, in one order. Absent: one that another run has begun, a payout or a refund that is
 * stopped for now, and a collection older than `expiry_hours`, which the sweep gives up: nobody expects to be asked for yesterday's
 * payment.
 */
export async function lockPrepared(tx: Tx, keys: readonly InstructionKey[], expiry_hours: number): Promise<Prepared[]> {
  return tx<Prepared[]>`
    select ${tx(columns.map((column) => `i.${column}`))}, clock_now() as locked_at,
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
 * The condition that of two refunds of one payment that have not ended, both of `refunds_to_conclude`, `before` goes before `own`: one that
 * is under way before all that were only asked for, so that two never wait for one another, and of those the one that was asked for first.
 */
function goesBefore(db: Db): Statement<object[]> {
  return db`${turnOf(db, 'before')} < ${turnOf(db, 'own')}`
}

/** The place of a refund among those of its payment, as a row that is compared. */
function turnOf(db: Db, refund: 'before' | 'own'): Statement<object[]> {
  return db`(${db(`${refund}.status`)} = 'requested', ${db(`${refund}.created_at`)}, ${db(`${refund}.refund_id`)})`
}

/**
 * The first of the refunds of the same payment that go before this one, where its operator takes them in turn. Null: none does, or it was
 * sent already.
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

/** An instruction in doubt, with the terms on which it left last. */
export type NotHeld = Instruction & { last_terms: Terms }

/**
 * Locks those instructions in doubt of which the operator has said, since the last send and on the terms of that send, that it does not
 * hold them. The rule is that of `check_send`, which refuses what is begun without it. Absent: all others, and
 * what is stopped or too old to leave now.
 */
export async function lockNotHeld(tx: Tx, keys: readonly InstructionKey[], expiry_hours: number): Promise<NotHeld[]> {
  const rows = await tx<(Instruction & Terms)[]>`
    select ${tx(columns.map((column) => `i.${column}`))}, last.payload_hash, last.again_times, last.again_after_seconds
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

/** Behind the conditions for an instruction `i` that is to be sent: a collection is not too old, and money going out is not stopped. */
function mayLeaveNow(tx: Tx, expiry_hours: number) {
  return tx`
    and (i.direction <> 'collect' or i.created_at > clock_now() - make_interval(hours => ${expiry_hours}))
    and (i.direction = 'collect' or not exists (
          select from stops_in_force s
           where s.scope = 'all'
              or (s.scope = 'operator' and s.value = i.operator)
              or (s.scope = 'merchant' and s.value = i.merchant_id::text)))`
}

/** Locked instructions are "sending", as they stand here. Does not wait. */
export function updateSending(tx: Tx, begun: readonly Instruction[]): void {
  if (begun.length === 0) return
  tx.send(tx`
    update instructions i
       set state = 'sending', connector = k.connector, attempts = k.attempts, sent_again = k.sent_again, sent_at = k.sent_at,
           next_check_at = clock_now() + make_interval(secs => ${LOST_JOB_SECONDS})
      from ${given(tx, 'instructions k', begun, ['merchant_id', 'livemode', 'subject_id', 'connector', 'attempts', 'sent_again', 'sent_at'])}
     where ${sameRow(tx, 'i', 'k', begun, 'subject_id')}`)
}

/** Locked instructions that wait are looked at again at their `next_check_at`. Does not wait. */
export function updateWaiting(tx: Tx, waiting: readonly Instruction[]): void {
  if (waiting.length === 0) return
  tx.send(tx`
    update instructions i
       set next_check_at = k.next_check_at
      from ${given(tx, 'instructions k', waiting, ['merchant_id', 'livemode', 'subject_id', 'next_check_at'])}
     where ${sameRow(tx, 'i', 'k', waiting, 'subject_id')}`)
}

/** Locked instructions that are never sent are refused, with the codes that they carry. Does not wait. */
export function updateNotRoutable(
  tx: Tx,
  refused: readonly (InstructionKey & Pick<Instruction, 'failure_code'>)[],
): void {
  if (refused.length === 0) return
  tx.send(tx`
    update instructions i
       set state = 'refused', failure_code = k.failure_code, next_check_at = null, concluded_at = clock_now()
      from ${given(tx, 'instructions k', refused, ['merchant_id', 'livemode', 'subject_id', 'failure_code'])}
     where ${sameRow(tx, 'i', 'k', refused, 'subject_id')}`)
}
