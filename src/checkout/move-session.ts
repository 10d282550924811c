import { defineTransition } from '../platform/commands/transitions.ts'
import { tenantOf } from '../values/caller.ts'
import { emitEvent } from '../webhooks/emit.ts'
import { viewSession } from './session.ts'
import { transitions } from './states.ts'
import * as store from './store.ts'

/**
 * Moves a locked session along its table of transitions; see `defineTransition`. An ended session has no attempt under
 * way. `payment_id`: the payment that paid the session, absent when none did.
 */
export const transitionSession = defineTransition({
  rank: 'checkout session',
  transitions,
  write: store.updateSessions,
  change: (
    session: store.LockedSession,
    { to },
    { payment_id = session.payment_id }: { payment_id?: string | null },
    now,
  ) => ({
    payment_id,
    attempt_live: false,
    paid_at: to === 'paid' ? now : session.paid_at,
    closed_at: to === 'closed' ? now : session.closed_at,
  }),
  tell: (session, type) =>
    emitEvent({ ...tenantOf(session), type, subject_id: session.id, data: viewSession(session) }),
})
