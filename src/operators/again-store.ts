import { records, type Tx } from '../platform/postgres/database.ts'
import { onOneMachine } from '../platform/postgres/on-one-machine.ts'
import type { Instruction, InstructionKey } from './instruction.ts'
import { LOST_JOB_SECONDS } from './jobs.ts'
import { writeJournal } from './journal-store.ts'
import type { SendTerms } from './send-terms.ts'
import { columns, mayLeaveNow } from './store.ts'

/**
 * Locks those instructions in doubt of which the operator has said, since the last send and on the terms of that send, that it does not
 * hold them. The rule is that of `check_send`, which refuses what is begun without it. Absent: all others, and
 * what is stopped or too old to leave now.
 */
export async function lockNotHeld(
  tx: Tx,
  keys: readonly InstructionKey[],
  expiry_hours: number,
): Promise<Instruction[]> {
  return tx<Instruction[]>`
    select ${tx(columns.map((column) => `i.${column}`))}
      from instructions i
      join json_to_recordset(${records(tx, keys)}) as k(merchant_id bigint, livemode boolean, subject_id text)
        on (i.merchant_id, i.livemode, i.subject_id) = (k.merchant_id, k.livemode, k.subject_id)
      join sends last
        on (last.merchant_id, last.livemode, last.subject_id, last.attempt)
           = (i.merchant_id, i.livemode, i.subject_id, i.attempts)
     where i.state = 'unknown'
       ${onOneMachine(tx, 'i', keys)}
       and exists (
             select
               from operator_answers a
              where (a.merchant_id, a.livemode, a.subject_id) = (i.merchant_id, i.livemode, i.subject_id)
                and a.source = 'inquiry'
                and a.outcome = 'not_found'
                and a.answered_at > last.sent_at
             having count(*) >= last.again_times
                and max(a.answered_at) >= last.sent_at + make_interval(secs => last.again_after_seconds))
       ${mayLeaveNow(tx, expiry_hours)}
     order by i.merchant_id, i.livemode, i.subject_id
       for no key update of i`
}

/**
 * Commits us to sending locked instructions once more, as they were: the reference, the bytes and the moment of the first send stay, and
 * the journal gets another row.
 */
export async function beginAgain(tx: Tx, keys: readonly InstructionKey[], termsOf: SendTerms): Promise<Instruction[]> {
  if (keys.length === 0) return []
  const begun = await tx<Instruction[]>`
    update instructions i
       set state = 'sending', attempts = i.attempts + 1, sent_again = i.sent_again + 1,
           next_check_at = clock_now() + make_interval(secs => ${LOST_JOB_SECONDS})
      from json_to_recordset(${records(tx, keys)}) as k(merchant_id bigint, livemode boolean, subject_id text)
     where (i.merchant_id, i.livemode, i.subject_id) = (k.merchant_id, k.livemode, k.subject_id)
       ${onOneMachine(tx, 'i', keys)}
    returning ${tx(columns.map((column) => `i.${column}`))}`
  writeJournal(tx, begun, termsOf)
  return begun
}
