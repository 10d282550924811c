import { randomBytes } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { sha256 } from '../../platform/digest.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { Secret } from '../../values/secret.ts'
import { type AttemptPurpose, insertAttempt, type TerminalQuestion } from './attempt-store.ts'

/** Minutes for the second page of a sign-in, for the passkey, or for the answer to a command line in the browser. */
const MINUTES = 10

const TOKEN_BYTES = 32
const CHALLENGE_BYTES = 32

/** An open attempt. Its token goes into the form; its challenge, for a passkey, goes to the browser's script. */
export type OpenedAttempt = { token: Secret; challenge: Buffer }

/** Opens an attempt, which is valid for one answer and at most ten minutes. */
export async function openAttempt(
  db: Db,
  clock: Clock,
  {
    purpose,
    person_id,
    terminal = null,
  }: { purpose: AttemptPurpose; person_id: string | null; terminal?: TerminalQuestion | null },
): Promise<OpenedAttempt> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const challenge = randomBytes(CHALLENGE_BYTES)
  await insertAttempt(db, {
    token_hash: sha256(token),
    purpose,
    person_id,
    challenge: purpose === 'passkey' || purpose === 'registration' ? challenge : null,
    terminal,
    created_at: clock.now(),
    expires_at: new Date(clock.milliseconds() + MINUTES * 60_000),
  })
  return { token: new Secret(token), challenge }
}
