import type { Transition } from '../values/transition.ts'
import type { LinkStatus } from './link.ts'

/**
 * Every transition of a link. An expired link has no state of its own: `expires_at` tells. A closed link that is paid
 * once can still become paid, like a session: its payer was paying when it was closed, or a proof came later. The database
 * holds the same pairs (`payment_link_transitions`).
 */
export const linkTransitions = [
  { from: 'open', trigger: 'only_payment_succeeded', to: 'paid', event: null },
  { from: 'open', trigger: 'closed_by_merchant', to: 'closed', event: null },
  { from: 'closed', trigger: 'only_payment_succeeded', to: 'paid', event: null },
] as const satisfies readonly Transition<LinkStatus>[]
