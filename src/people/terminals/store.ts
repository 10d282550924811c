import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { StepUpRow } from '../step-up/store.ts'

/** The request of a command line, as its person sees it in the browser. */
export type TerminalRequest = {
  command: string
  /** Those that were given, without a code. */
  options: Readonly<Record<string, unknown>>
  /** The account of the operating system, and its machine. */
  user: string
}

export type FoundRequest = TerminalRequest & { asked_at: Date }

/** A request that waits for this person, or a sign-in that waits for anybody. Null: there is none, it is over, or it is somebody else's. */
export async function findRequest(db: Db, code_hash: Buffer, person_id: string): Promise<FoundRequest | null> {
  const [row] = await db<{ asked: TerminalRequest; asked_at: Date }[]>`
    select asked, created_at as asked_at
      from sign_in_attempts
     where code_hash = ${code_hash} and step_up_id is null and used_at is null and expires_at > clock_now()
       and (person_id is null or person_id = ${person_id})`
  return row === undefined ? null : { ...row.asked, asked_at: row.asked_at }
}

/** Writes down who agreed, by which proof. Of several who agree at once one does; false: it is over, or somebody has. */
export async function markAgreed(tx: Tx, code_hash: Buffer, person_id: string, step_up_id: string): Promise<boolean> {
  const { count } = await tx`
    update sign_in_attempts
       set person_id = ${person_id}, step_up_id = ${step_up_id}
     where code_hash = ${code_hash} and step_up_id is null and used_at is null and expires_at > clock_now()
       and (person_id is null or person_id = ${person_id})`
  return count === 1
}

/** The proof by which a person agreed to a request; null: nobody has yet, and `over` says whether anybody still can. */
export async function readAgreement(
  db: Db,
  token_hash: Buffer,
): Promise<{ step_up_id: string | null; factor: StepUpRow['factor']; over: boolean } | null> {
  const [row] = await db<{ step_up_id: string | null; factor: StepUpRow['factor']; over: boolean }[]>`
    select a.step_up_id, s.factor, a.used_at is not null or a.expires_at <= clock_now() as over
      from sign_in_attempts a
      left join step_ups s on s.step_up_id = a.step_up_id
     where a.token_hash = ${token_hash} and a.purpose = 'command_line'`
  return row ?? null
}
