import type { Line } from '../../acts/facts.ts'
import type { Signed } from '../../acts/perform.ts'
import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { StepUpRow } from '../step-up/store.ts'

/** The request of a command line, as the person sees it in the browser. */
export type TerminalRequest = {
  command: string
  /** The options as given, without a one-time code. */
  options: Readonly<Record<string, unknown>>
  /** For an act: the lines that the person reads, and the content that they sign. Absent: a sign-in. */
  lines?: readonly Line[]
  signed?: Signed
  /** The account of the operating system and the machine, `user@host`. */
  user: string
}

export type FoundRequest = TerminalRequest & { asked_at: Date }

/**
 * Reads a request that waits for this person, or a sign-in, which any person can approve. Null when there is none, it is over, or it
 * waits for another person.
 */
export async function findRequest(db: Db, code_hash: Buffer, person_id: string): Promise<FoundRequest | null> {
  const [row] = await db<{ asked: TerminalRequest; asked_at: Date }[]>`
    select asked, created_at as asked_at
      from sign_in_attempts
     where code_hash = ${code_hash} and step_up_id is null and used_at is null and expires_at > clock_now()
       and (person_id is null or person_id = ${person_id})`
  return row === undefined ? null : { ...row.asked, asked_at: row.asked_at }
}

/**
 * Records the person who approved, and the proof. Of several concurrent approvals one succeeds. False when the request is over or
 * approved already.
 */
export async function markAgreed(tx: Tx, code_hash: Buffer, person_id: string, step_up_id: string): Promise<boolean> {
  const { count } = await tx`
    update sign_in_attempts
       set person_id = ${person_id}, step_up_id = ${step_up_id}
     where code_hash = ${code_hash} and step_up_id is null and used_at is null and expires_at > clock_now()
       and (person_id is null or person_id = ${person_id})`
  return count === 1
}

/**
 * Records that this person refused a request, which ends it. Of concurrent answers one succeeds. False when the request is over, approved
 * or refused already.
 */
export async function markRefused(tx: Tx, code_hash: Buffer, person_id: string): Promise<boolean> {
  const { count } = await tx`
    update sign_in_attempts
       set person_id = ${person_id}, refused = true, used_at = clock_now()
     where code_hash = ${code_hash} and step_up_id is null and used_at is null and expires_at > clock_now()
       and (person_id is null or person_id = ${person_id})`
  return count === 1
}

/** `step_up_id`: the proof of the approval, null until then. `over`: also when it was refused. */
type Agreement = { step_up_id: string | null; factor: StepUpRow['factor']; refused: boolean; over: boolean }

/** Reads the state of a request. Null when there is no such request. */
export async function readAgreement(db: Db, token_hash: Buffer): Promise<Agreement | null> {
  const [row] = await db<Agreement[]>`
    select a.step_up_id, s.factor, a.refused, a.used_at is not null or a.expires_at <= clock_now() as over
      from sign_in_attempts a
      left join step_ups s on s.step_up_id = a.step_up_id
     where a.token_hash = ${token_hash} and a.purpose = 'command_line'`
  return row ?? null
}
