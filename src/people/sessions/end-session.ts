import { sha256 } from '../../platform/digest.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import { deleteDevicesBut, deleteDevicesWith } from '../push/push-store.ts'
import { recordActOf } from '../record-act-of.ts'
import type { Browser } from './browser.ts'
import type { EndReason, Session } from './session.ts'
import * as store from './store.ts'

type Deps = { sql: Sql }
type From = Pick<Browser, 'address' | 'door'>

/** Signs out. From the commit on, the token opens nothing, and its browser gets no notices. */
export async function endSession({ sql }: Deps, session: Session, from: From): Promise<void> {
  const { person_id, email } = session.person
  await sql.begin(async (tx) => {
    const own = { person_id, session_id: session.session_id }
    if (await store.endSession(tx, own, 'signed_out')) record(tx, email, from, own.session_id, 'signed_out')
    await deleteDevicesWith(tx, person_id, own.session_id)
  })
}

/** Ends all sessions of the person except this one, and returns their number. */
export async function endOtherSessions({ sql }: Deps, session: Session, from: From): Promise<number> {
  const { person_id, email } = session.person
  return sql.begin(async (tx) => {
    const ended = await store.endSessions(tx, person_id, 'ended_elsewhere', session.session_id)
    for (const session_id of ended) record(tx, email, from, session_id, 'ended_elsewhere')
    await deleteDevicesBut(tx, person_id, session.session_id)
    return ended.length
  })
}

/**
 * Ends another session of the same person. A session of another person is not found.
 */
export async function endSessionOf(
  { sql }: Deps,
  session: Session,
  session_id: string,
  from: From,
): Promise<{ kind: 'ended' } | { kind: 'refused'; code: 'session_not_found' }> {
  const { person_id, email } = session.person
  return sql.begin(async (tx) => {
    const ended = await store.endSession(tx, { person_id, session_id }, 'ended_elsewhere')
    if (ended) record(tx, email, from, session_id, 'ended_elsewhere')
    if (ended) await deleteDevicesWith(tx, person_id, session_id)
    return ended ? { kind: 'ended' } : { kind: 'refused', code: 'session_not_found' }
  })
}

/**
 * Ends the open session of a browser, of any person, in the transaction that opens the new one.
 * @param email the address of the person who signs in
 */
export async function endFormerSession(tx: Tx, email: string, { former = null, ...from }: Browser): Promise<void> {
  const ended = former === null ? null : await store.endSessionOfToken(tx, sha256(former), 'signed_in_again')
  if (ended !== null) record(tx, email, from, ended, 'signed_in_again')
}

/**
 * Ends the sessions and the devices of a person in the transaction of the cause: a changed factor, or the person was disabled or reset.
 * @param except the session of the act itself, if it stays open
 */
export async function endSessionsOfPerson(
  tx: Tx,
  person_id: string,
  reason: Extract<EndReason, 'person_disabled' | 'rights_changed' | 'factors_changed'>,
  except: string | null = null,
): Promise<number> {
  await deleteDevicesBut(tx, person_id, except)
  return (await store.endSessions(tx, person_id, reason, except)).length
}

/** Writes the audit line of a session that a person ended. A session that ends by time or by another act has no line of its own. */
function record(tx: Tx, email: string, from: From, session_id: string, reason: EndReason): void {
  recordActOf(tx, email, from, { act: 'session.end', subject: session_id, after: { reason } })
}
