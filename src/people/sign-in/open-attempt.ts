import { randomBytes } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { sha256 } from '../../platform/digest.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { Secret } from '../../values/secret.ts'
import { type AttemptPurpose, insertAttempt, type TerminalQuestion } from './attempt-store.ts'

/** Minutes that a person has for the second page, to find their passkey, or to agree in a browser to what a command line asks. */
const MINUTES = 10

const TOKEN_BYTES = 32
const CHALLENGE_BYTES = 32

/** A question asked: its token goes into the form, its challenge (for a passkey) to the browser's script. */
export type OpenedAttempt = { token: Secret; challenge: Buffer }

/** Keeps what a browser is asked, until it answers or ten minutes have passed. */
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
