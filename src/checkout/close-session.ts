import { recordAct } from '../audit-log/record-act.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects } from '../platform/commands/effects.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../values/actor.ts'
import { transitionSession } from './move-session.ts'
import * as store from './store.ts'

export type CloseSessionResult =
  | { kind: 'closed'; session_id: string }
  /** `attempt_under_way`: the attempt has to end first, because the payer's money may be moving. */
  | { kind: 'refused'; code: 'resource_not_found' | 'already_ended' | 'attempt_under_way' }

/**
 * Closes an open session, so that nobody can pay it.
 * @param by the author for the audit log
 */
export async function closeSession(
  { sql, clock }: { sql: Sql; clock: Clock },
  session_id: string,
  by: Actor = SYSTEM,
): Promise<CloseSessionResult> {
  const key = await store.findSession(sql, session_id)
  if (key === null) return { kind: 'refused', code: 'resource_not_found' }
  return sql.begin(async (tx): Promise<CloseSessionResult> => {
    const [session] = await store.lockSessions(tx, [key])
    if (session!.attempt_live) return { kind: 'refused', code: 'attempt_under_way' }
    const { status } = session!
    const now = clock.now()
    const closed = transitionSession(session!, { trigger: 'closed_by_merchant' }, now)
    if (closed === null) return { kind: 'refused', code: 'already_ended' }
    await applyEffects(tx, closed.effects, now)
    const change = { before: { status }, after: { status: 'closed' } }
    recordAct(tx, key, { actor: by, act: 'checkout_session.close', subject: session_id, ...change })
    return { kind: 'closed', session_id }
  })
}
