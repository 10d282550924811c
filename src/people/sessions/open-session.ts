import { randomBytes } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { sha256 } from '../../platform/digest.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { newId } from '../../values/ids.ts'
import { Secret } from '../../values/secret.ts'
import { notify } from '../notices/notify.ts'
import type { Browser } from './browser.ts'
import { browserName } from './browser-name.ts'
import { endFormerSession } from './end-session.ts'
import type { SessionFactor } from './session.ts'
import * as store from './store.ts'

/** Random bytes of a token. */
const TOKEN_BYTES = 32

const USER_AGENT_MAX = 300

/** A new session. The browser gets the token, and the database only its hash. */
export type OpenedSession = { session_id: string; person_id: string; token: Secret }

type Opening = { person_id: string; email: string; factor: SessionFactor } & Browser

/**
 * Opens a session for a person who has proven a second factor, in the transaction that used the proof. The token is always new, so that
 * a token planted in the browser before opens nothing. The browser's previous session ends.
 */
export async function openSession(
  tx: Tx,
  clock: Clock,
  { person_id, email, factor, ...browser }: Opening,
): Promise<OpenedSession> {
  const { address, user_agent, mark = null, door = 'console' } = browser
  await endFormerSession(tx, email, browser)
  await tellOfDevice(tx, { person_id, email, factor, ...browser })
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const session_id = newId('ses', clock.milliseconds())
  await store.insertSession(tx, {
    session_id,
    token_hash: sha256(token),
    person_id,
    door,
    factor,
    address,
    user_agent: user_agent.slice(0, USER_AGENT_MAX),
    browser_hash: mark === null ? null : sha256(mark),
    created_at: clock.now(),
  })
  return { session_id, person_id, token: new Secret(token) }
}

/** Notifies a person of a sign-in with a recovery code, or from a device without an earlier session of theirs. */
async function tellOfDevice(
  tx: Tx,
  { person_id, email, factor, address, user_agent, mark = null, door = 'console' }: Opening,
): Promise<void> {
  if (factor === 'invitation') return
  const facts = { address, device: door === 'command_line' ? 'bandama login' : (browserName(user_agent) ?? '?') }
  if (factor === 'recovery_code') return notify(tx, { name: 'recovery_code_used', to: [email], facts })
  const known = {
    browser_hash: mark === null ? null : sha256(mark),
    door,
    user_agent: user_agent.slice(0, USER_AGENT_MAX),
  }
  if (await store.isNewDevice(tx, person_id, known)) notify(tx, { name: 'new_device', to: [email], facts })
}
