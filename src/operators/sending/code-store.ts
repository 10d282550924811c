import type { Db } from '../../platform/postgres/database.ts'
import type { Instruction, InstructionKey } from '../instruction.ts'

/**
 * Records the intent to pass a payer's code to the operator: once, and only while the operator waits for a code. False
 * when it does not wait, or was given one. A statement of its own, committed before the call like every intent.
 */
export async function beginCodeSubmission(db: Db, key: InstructionKey): Promise<boolean> {
  const rows = await db`
    insert into code_submissions (merchant_id, livemode, subject_id)
    ${waitingForCode(db, key)}
    on conflict do nothing
    returning subject_id`
  return rows.length > 0
}

/**
 * Uses up the single try of an instruction sent more than `sent_before_ms` milliseconds ago, so that no code can be
 * passed on any more. False when a code was passed on. May be repeated, because the caller may have died before it
 * acted on the result.
 */
export async function endCodeSubmission(db: Db, key: InstructionKey, sent_before_ms: number): Promise<boolean> {
  const seconds = sent_before_ms / 1_000
  const rows = await db`
    insert into code_submissions as c (merchant_id, livemode, subject_id, lapsed)
    ${waitingForCode(db, key, db`, true`)}
       and sent_at <= clock_now() - make_interval(secs => ${seconds}::double precision)
    on conflict (subject_id, merchant_id, livemode) do update
      set lapsed = true
      where c.lapsed
    returning subject_id`
  return rows.length > 0
}

function waitingForCode(db: Db, key: InstructionKey, more = db``) {
  return db`
    select merchant_id, livemode, subject_id ${more}
      from instructions
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and subject_id = ${key.subject_id}
       and state = 'sent'
       and next_action ->> 'type' = 'enter_code'`
}

/** Whether a code was passed on for this instruction. */
export async function wasCodeSubmitted(db: Db, key: InstructionKey): Promise<boolean> {
  const rows = await db`
    select subject_id
      from code_submissions
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and subject_id = ${key.subject_id}
       and not lapsed`
  return rows.length > 0
}

/**
 * Finds the instruction of a reference that we gave an operator. Null when it is not our reference.
 * @param connector the connector that sent it; any when absent
 */
export async function findReferenced(db: Db, reference: string, connector?: string): Promise<InstructionKey | null> {
  const [row] = await db<Pick<Instruction, 'merchant_id' | 'livemode' | 'subject_id'>[]>`
    select merchant_id, livemode, subject_id
      from operator_references
     where reference = ${reference}
       ${connector === undefined ? db`` : db`and connector = ${connector}`}
     limit 1`
  return row ?? null
}
