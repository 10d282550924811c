import type { Sql, Tx } from '../../platform/postgres/database.ts'
import type { EndReason, Session } from './session.ts'
import * as store from './store.ts'

/** Signs out: from its commit on, the token opens nothing. */
export async function endSession({ sql }: { sql: Sql }, session: Session): Promise<void> {
  await store.endSession(sql, ownOf(session, session.session_id), 'signed_out')
}

/** Ends every session of the person but this one; how many. */
export async function endOtherSessions({ sql }: { sql: Sql }, session: Session): Promise<number> {
  return store.endSessions(sql, session.person.person_id, 'ended_elsewhere', session.session_id)
}

/**
 * Ends one session of the same person, from another one of theirs. Somebody else's is as unknown as one that does not exist.
 */
export async function endSessionOf(
  { sql }: { sql: Sql },
  session: Session,
  session_id: string,
): Promise<{ kind: 'ended' } | { kind: 'refused'; code: 'session_not_found' }> {
  const ended = await store.endSession(sql, ownOf(session, session_id), 'ended_elsewhere')
  return ended ? { kind: 'ended' } : { kind: 'refused', code: 'session_not_found' }
}

/**
 * Ends the sessions of a person in the transaction of what makes them worthless: a factor changed, the person disabled or reset.
 * @param except the session that does it, when it stays open
 */
export async function endSessionsOfPerson(
  tx: Tx,
  person_id: string,
  reason: Extract<EndReason, 'person_disabled' | 'rights_changed' | 'factors_changed'>,
  except: string | null = null,
): Promise<number> {
  return store.endSessions(tx, person_id, reason, except)
}

function ownOf(session: Session, session_id: string): { person_id: string; session_id: string } {
  return { person_id: session.person.person_id, session_id }
}
