import { defineTransition, type Transitioned } from '../platform/commands/transitions.ts'
import { tenantOf } from '../values/caller.ts'
import { isIndependentApprover } from '../values/independent-approver.ts'
import { emitEvent } from '../webhooks/emit.ts'
import { viewPayoutRequest } from './payout-request.ts'
import { requestTransitions } from './request-states.ts'
import * as requestStore from './request-store.ts'

/**
 * The values that a decision writes. `decided_by` is a person, or `time` for an expiry; `payout_id` belongs to an
 * approval, `decline_reason` to a rejection.
 */
type Facts = { decided_by: string; payout_id?: string; decline_reason?: string | null }

/** Moves a locked request along its table of transitions; see `defineTransition`. */
export const transitionRequest = defineTransition({
  rank: 'payout request',
  transitions: requestTransitions,
  write: requestStore.updateRequests,
  change: (request: requestStore.LockedRequest, _, { decided_by, payout_id, decline_reason = null }: Facts, now) => {
    return { decided_by, decline_reason, payout_id: payout_id ?? request.payout_id, decided_at: now }
  },
  tell: (request, type) =>
    emitEvent({ ...tenantOf(request), type, subject_id: request.id, data: viewPayoutRequest(request) }),
})

/**
 * Decides a locked request for a person. Refusals in order of precedence: the request is decided or its time is over
 * (even when the sweep has not ended it yet); the person made the request. Pure.
 */
export function decideRequest(
  request: requestStore.LockedRequest,
  decision:
    | { trigger: 'approved'; decided_by: string; payout_id: string }
    | { trigger: 'rejected'; decided_by: string; decline_reason?: string | null },
  now: Date,
):
  | ({ kind: 'decided' } & Transitioned<requestStore.LockedRequest>)
  | { kind: 'refused'; code: 'already_decided' | 'same_person' } {
  const moved = request.is_over ? null : transitionRequest(request, decision, now)
  if (moved === null) return { kind: 'refused', code: 'already_decided' }
  if (!isIndependentApprover(request.made_by, decision.decided_by)) return { kind: 'refused', code: 'same_person' }
  return { kind: 'decided', ...moved }
}
