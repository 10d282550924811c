import type { Transition } from '../values/transition.ts'
import type { LinkStatus } from './link.ts'

/**
 * Every move a link can make. That its time has run out is no state: it is read from `expires_at`. The database holds the
 * same pairs (`payment_link_transitions`).
 */
export const linkTransitions = [
  { from: 'open', trigger: 'only_payment_succeeded', to: 'paid', event: null },
  { from: 'open', trigger: 'closed_by_merchant', to: 'closed', event: null },
] as const satisfies readonly Transition<LinkStatus>[]
