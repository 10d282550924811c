import { randomBytes } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { sha256 } from '../../platform/digest.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { Secret } from '../../values/secret.ts'
import { insertAttempt, type StoredPurpose, type TerminalQuestion } from './attempt-store.ts'

/** Minutes for the second page of a sign-in, for the passkey, or for the answer to a command line in the browser. */
export const ATTEMPT_MINUTES = 10

const TOKEN_BYTES = 32

/** An open attempt. Its token goes into the form. */
export type OpenedAttempt = { token: Secret }

/** Opens an attempt, which is valid for one answer and at most ten minutes. */
export async function openAttempt(
  db: Db,
  clock: Clock,
  {
    purpose,
    person_id,
    terminal = null,
  }: { purpose: StoredPurpose; person_id: string | null; terminal?: TerminalQuestion | null },
): Promise<OpenedAttempt> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  await insertAttempt(db, {
    token_hash: sha256(token),
    purpose,
    person_id,
    terminal,
    created_at: clock.now(),
    expires_at: new Date(clock.milliseconds() + ATTEMPT_MINUTES * 60_000),
  })
  return { token: new Secret(token) }
}
