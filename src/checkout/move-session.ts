import type { Tx } from '../platform/postgres/database.ts'
import { findTransition } from '../values/transition.ts'
import { emitEvents } from '../webhooks/emit.ts'
import { type SessionRow, type SessionStatus, viewSession } from './session.ts'
import { type SessionTrigger, transitions } from './states.ts'
import * as store from './store.ts'

export type Trigger = store.SessionKey & {
  status: SessionStatus
  trigger: SessionTrigger
  /** The payment that paid it; null: it was not paid. */
  payment_id: string | null
}

/**
 * Moves sessions that this transaction has locked along the table of states, and tells their merchants. Returns the
 * sessions that moved, as they now stand; what the table does not allow is left alone.
 */
export async function transitionSessions(tx: Tx, triggers: readonly Trigger[], now: Date): Promise<SessionRow[]> {
  const moves = triggers.flatMap(({ status, trigger, ...rest }) => {
    const transition = findTransition(transitions, status, trigger)
    if (transition === null) return []
    const { from, to, event } = transition
    return [{ ...rest, from_status: from, to_status: to, cause: trigger, event }]
  })
  if (moves.length === 0) return []
  const moved = await store.moveSessions(tx, moves)
  const events = new Map(moves.map(({ session_id, event }) => [session_id, event]))
  await emitEvents(
    tx,
    moved.flatMap((session) => {
      const type = events.get(session.id) ?? null
      if (type === null) return []
      const { merchant_id, livemode, id } = session
      return [{ merchant_id, livemode, type, subject_id: id, data: viewSession(session) }]
    }),
    now,
  )
  return moved
}
