import type { Transition } from '../values/transition.ts'
import type { SessionStatus } from './session.ts'

/**
 * Every move a session can make. One whose attempt is under way is neither expired nor closed before that attempt has
 * ended; a proof that comes after an attempt lapsed is money all the same, so an ended session can still be paid. The
 * database holds the same pairs (`checkout_session_transitions`).
 */
export const transitions = [
  { from: 'open', trigger: 'attempt_succeeded', to: 'paid', event: 'checkout_session.paid' },
  { from: 'open', trigger: 'time_ran_out', to: 'expired', event: 'checkout_session.expired' },
  { from: 'open', trigger: 'closed_by_merchant', to: 'closed', event: null },
  { from: 'expired', trigger: 'attempt_succeeded', to: 'paid', event: 'checkout_session.paid' },
  { from: 'closed', trigger: 'attempt_succeeded', to: 'paid', event: 'checkout_session.paid' },
] as const satisfies readonly Transition<SessionStatus>[]
