import type { Transition } from '../values/transition.ts'
import type { RequestStatus } from './payout-request.ts'

/** Every transition of a payout request: it is decided once, by a person or by expiry. */
export const requestTransitions = [
  { from: 'pending_approval', trigger: 'approved', to: 'approved', event: 'payout_request.approved' },
  { from: 'pending_approval', trigger: 'rejected', to: 'rejected', event: 'payout_request.rejected' },
  { from: 'pending_approval', trigger: 'time_ran_out', to: 'expired', event: 'payout_request.expired' },
] as const satisfies readonly Transition<RequestStatus>[]
