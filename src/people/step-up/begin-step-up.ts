import { randomBytes } from 'node:crypto'
import { newId } from '../../values/ids.ts'
import type { FactorDeps } from '../factors/factor-deps.ts'
import { listPasskeys } from '../factors/factor-store.ts'
import { hasTotp } from '../factors/find-factors.ts'
import { type AssertionOptions, assertionOptions } from '../factors/passkey.ts'
import type { Session } from '../sessions/session.ts'
import { contentHash, contentText, isTooLong, STEP_UP_MINUTES, type StepUpAct } from './step-up.ts'
import * as store from './store.ts'

/** A step-up that waits for a factor. The page shows it with the content of the act. */
export type BegunStepUp = {
  step_up_id: string
  expires_at: Date
  /** The first characters of the content's hash, for people to compare. */
  fingerprint: string
  /** The browser's options, when the person has passkeys. The challenge is the hash of the content. */
  passkey: AssertionOptions | null
  /** Whether the person can answer with a code of their phone. */
  totp: boolean
}

/**
 * Begins a step-up: asks for a fresh factor for one act with exactly this content. It has to be confirmed and used within five minutes. Of more
 * than twenty open questions of a session the oldest goes.
 * @throws for an act that `isTooLong`, which its door refuses before
 */
export async function beginStepUp(
  { sql, clock, site }: Pick<FactorDeps, 'sql' | 'clock' | 'site'>,
  { session, operation, subject, content }: { session: Session } & StepUpAct,
): Promise<BegunStepUp> {
  if (isTooLong({ operation, subject, content }))
    throw new Error(`The content of ${operation} is too long to be asked about.`)
  const { person_id } = session.person
  const now = clock.milliseconds()
  const nonce = randomBytes(32)
  const text = contentText(content)
  const step_up_id = newId('stp', now)
  const expires_at = new Date(now + STEP_UP_MINUTES * 60_000)
  const content_hash = contentHash(text, nonce)
  const row = {
    step_up_id,
    session_id: session.session_id,
    person_id,
    operation,
    subject,
    content: text,
    content_hash,
    nonce,
    created_at: clock.now(),
    expires_at,
  }
  await sql.begin(async (tx) => {
    await store.lockAnswers(tx, session.session_id)
    await store.dropOldestOpen(tx, session.session_id)
    await store.insertStepUp(tx, row)
  })
  const [passkeys, totp] = await Promise.all([listPasskeys(sql, person_id), hasTotp(sql, person_id)])
  const passkey = passkeys.length > 0 && site.passkeys ? await assertionOptions(site, content_hash, passkeys) : null
  const fingerprint = content_hash.toString('hex').slice(0, 16)
  return { step_up_id, expires_at, fingerprint, passkey, totp }
}
