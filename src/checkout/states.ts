import type { Transition } from '../values/transition.ts'
import type { SessionStatus } from './session.ts'

/**
 * Every transition of a session. A session with an attempt in progress neither expires nor closes before the attempt ends.
 * An ended session can still be paid, because a proof can come after the attempt lapsed. The database holds the same
 * pairs (`checkout_session_transitions`).
 */
export const transitions = [
  { from: 'open', trigger: 'attempt_succeeded', to: 'paid', event: 'checkout_session.paid' },
  { from: 'open', trigger: 'time_ran_out', to: 'expired', event: 'checkout_session.expired' },
  { from: 'open', trigger: 'closed_by_merchant', to: 'closed', event: null },
  { from: 'expired', trigger: 'attempt_succeeded', to: 'paid', event: 'checkout_session.paid' },
  { from: 'closed', trigger: 'attempt_succeeded', to: 'paid', event: 'checkout_session.paid' },
] as const satisfies readonly Transition<SessionStatus>[]
