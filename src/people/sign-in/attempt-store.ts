import { sha256 } from '../../platform/digest.ts'
import type { Db, Sql, Tx } from '../../platform/postgres/database.ts'
import { deleteExpired, type ScanOptions } from '../../platform/postgres/upkeep/delete-expired.ts'

/**
 * `second_factor`: after a right password. `command_line`: a command that waits until its person agrees in a browser. The table also has
 * the answered questions to passkeys: `passkey`, to sign in, and `registration` of a new one.
 */
export type StoredPurpose = 'second_factor' | 'command_line'

/** The request of a command line: the hash of the code that it shows, and the command. */
export type TerminalQuestion = { code_hash: Buffer; asked: object }

export type Attempt = {
  token_hash: Buffer
  person_id: string | null
  wrong: number
}

/** A question to a passkey, which its form carried. */
export type AnsweredQuestion = { token: string; person_id: string | null; challenge: Buffer; expires_at: Date }

type NewAttempt = {
  token_hash: Buffer
  purpose: StoredPurpose
  person_id: string | null
  terminal: TerminalQuestion | null
  created_at: Date
  expires_at: Date
}

export async function insertAttempt(db: Db, attempt: NewAttempt): Promise<void> {
  await db`
    insert into sign_in_attempts (token_hash, purpose, person_id, code_hash, asked, created_at, expires_at)
    values (${attempt.token_hash}, ${attempt.purpose}, ${attempt.person_id},
            ${attempt.terminal?.code_hash ?? null}, ${attempt.terminal === null ? null : db.json(attempt.terminal.asked)},
            ${attempt.created_at}, ${attempt.expires_at})`
}

/**
 * Finds the person of an attempt. The caller locks the person before the attempt, as a change of factors does. Null: there is no such
 * attempt, or it has no person.
 */
export async function findPersonOf(db: Db, token: string): Promise<string | null> {
  const [row] = await db<Pick<Attempt, 'person_id'>[]>`
    select person_id
      from sign_in_attempts
     where token_hash = ${sha256(token)}`
  return row?.person_id ?? null
}

/** Locks the attempt of a form's token, so that its answers are checked one by one. Null: there is none, or it is over. */
export async function lockAttempt(tx: Tx, token: string, purpose: StoredPurpose): Promise<Attempt | null> {
  const [row] = await tx<Attempt[]>`
    select token_hash, person_id, wrong
      from sign_in_attempts
     where token_hash = ${sha256(token)} and purpose = ${purpose} and used_at is null and expires_at > clock_now()
       for update`
  return row ?? null
}

/** Counts the wrong codes of a person within a day, in all attempts. */
export async function countWrongOfDay(db: Db, person_id: string): Promise<number> {
  const [row] = await db<{ wrong: number }[]>`
    select coalesce(sum(wrong), 0)::integer as wrong
      from sign_in_attempts
     where person_id = ${person_id} and created_at > clock_now() - interval '1 day'`
  return row!.wrong
}

export async function addWrong(tx: Tx, { token_hash }: Attempt): Promise<void> {
  await tx`
    update sign_in_attempts
       set wrong = wrong + 1
     where token_hash = ${token_hash}`
}

export async function markUsed(tx: Tx, { token_hash }: Attempt): Promise<void> {
  await tx`
    update sign_in_attempts
       set used_at = clock_now()
     where token_hash = ${token_hash}`
}

/** Ends the unfinished attempts of a person, because a factor that they used is no longer valid. */
export async function closeAttempts(tx: Tx, person_id: string): Promise<void> {
  await tx`
    update sign_in_attempts
       set used_at = clock_now()
     where person_id = ${person_id} and used_at is null`
}

/**
 * Notes the one answer to a question of a passkey, whose page stored nothing. False: it was answered before. Of concurrent answers one
 * succeeds.
 */
export async function insertAnswered(
  tx: Tx,
  { token, person_id, challenge, expires_at }: AnsweredQuestion,
  purpose: 'passkey' | 'registration',
): Promise<boolean> {
  const { count } = await tx`
    insert into sign_in_attempts (token_hash, purpose, person_id, challenge, expires_at, used_at)
    values (${sha256(token)}, ${purpose}, ${person_id}, ${challenge}, ${expires_at}, clock_now())
    on conflict (token_hash) do nothing`
  return count === 1
}

/**
 * Deletes attempts a day after they expired, and returns their number. Until then their wrong codes count. The answer of a passkey has no
 * wrong codes, and a question that is over takes no answer, so it is deleted once it has expired.
 */
export function dropOldAttempts(sql: Sql, scan?: ScanOptions): Promise<number> {
  const kept = sql`case when r.purpose in ('passkey', 'registration') then interval '0' else interval '1 day' end`
  return deleteExpired(sql, 'sign_in_attempts', sql`r.expires_at < clock_now() - ${kept}`, {
    stopping: scan?.stopping,
  })
}
