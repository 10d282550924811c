import { takeAdvisoryLock } from '../../platform/postgres/advisory-lock.ts'
import type { Db, Sql, Tx } from '../../platform/postgres/database.ts'
import { deleteExpired, type ScanOptions } from '../../platform/postgres/upkeep/delete-expired.ts'

export type StepUpRow = {
  step_up_id: string
  session_id: string
  person_id: string
  operation: string
  subject: string | null
  content: string
  content_hash: Buffer
  nonce: Buffer
  expires_at: Date
  expired: boolean
  factor: 'passkey' | 'totp' | null
  confirmed_at: Date | null
  used_at: Date | null
  wrong: number
}

type NewStepUp = Pick<
  StepUpRow,
  | 'step_up_id'
  | 'session_id'
  | 'person_id'
  | 'operation'
  | 'subject'
  | 'content'
  | 'content_hash'
  | 'nonce'
  | 'expires_at'
> & { created_at: Date }

/** The most questions of a session without a right answer. */
const OPEN_MAX = 20

/**
 * Makes room for one more question of a session. Those with a wrong answer stay, because they count: a session has at most thirty, and
 * answers nothing afterwards.
 */
export async function dropOldestOpen(tx: Tx, session_id: string): Promise<void> {
  await tx`
    delete from step_ups
     where step_up_id in (
       select step_up_id
         from step_ups
        where session_id = ${session_id} and confirmed_at is null and wrong = 0
        order by created_at desc, step_up_id desc
       offset ${OPEN_MAX - 1})`
}

/** Deletes unanswered questions a day after they were asked, when their session is over too, and returns their number. Proofs are kept. */
export function dropOldStepUps(sql: Sql, scan?: ScanOptions): Promise<number> {
  return deleteExpired(sql, 'step_ups', sql`r.confirmed_at is null and r.created_at < clock_now() - interval '1 day'`, {
    stopping: scan?.stopping,
  })
}

export async function insertStepUp(db: Db, row: NewStepUp): Promise<void> {
  await db`
    insert into step_ups (step_up_id, session_id, person_id, operation, subject, content, content_hash, nonce, created_at, expires_at)
    values (${row.step_up_id}, ${row.session_id}, ${row.person_id}, ${row.operation}, ${row.subject}, ${row.content},
            ${row.content_hash}, ${row.nonce}, ${row.created_at}, ${row.expires_at})`
}

/**
 * Locks the answers of a session until the transaction ends. Nothing else takes this lock, so that an answer never waits for a decision about its
 * person, such as a reset.
 */
export function lockAnswers(tx: Tx, session_id: string): Promise<void> {
  return takeAdvisoryLock(tx, `step-ups of ${session_id}`)
}

/** Locks a step-up of this session. Null for another session's. */
export async function lockStepUp(tx: Tx, session_id: string, step_up_id: string): Promise<StepUpRow | null> {
  const [row] = await tx<StepUpRow[]>`
    select step_up_id, session_id, person_id, operation, subject, content, content_hash, nonce, expires_at,
           expires_at <= clock_now() as expired, factor, confirmed_at, used_at, wrong
      from step_ups
     where step_up_id = ${step_up_id} and session_id = ${session_id}
       for update`
  return row ?? null
}

/** Counts wrong answers to all step-ups of a session, so that a stolen session gains no guesses from new step-ups. */
export async function countWrong(db: Db, session_id: string): Promise<number> {
  const [row] = await db<{ wrong: number }[]>`
    select coalesce(sum(wrong), 0)::integer as wrong
      from step_ups
     where session_id = ${session_id}`
  return row!.wrong
}

export async function addWrong(tx: Tx, step_up_id: string): Promise<void> {
  await tx`
    update step_ups
       set wrong = wrong + 1
     where step_up_id = ${step_up_id}`
}

export async function markConfirmed(
  tx: Tx,
  step_up_id: string,
  factor: 'passkey' | 'totp',
  proof: object,
): Promise<void> {
  await tx`
    update step_ups
       set factor = ${factor}, proof = ${tx.json(proof)}, confirmed_at = clock_now()
     where step_up_id = ${step_up_id}`
}

export async function markUsed(tx: Tx, step_up_id: string): Promise<void> {
  await tx`
    update step_ups
       set used_at = clock_now()
     where step_up_id = ${step_up_id}`
}
