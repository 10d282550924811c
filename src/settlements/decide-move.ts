import { isIndependentApprover } from '../values/independent-approver.ts'
import { findTransition } from '../values/transition.ts'
import type { SettlementRow } from './settlement.ts'
import { type SettlementTrigger, transitions } from './states.ts'

/** A transition of a settlement that a person asks for. */
export type WantedMove = {
  trigger: SettlementTrigger
  /** As `normalizePerson` writes it. */
  by: string
  /** False: the merchant's account is deactivated. */
  merchant_active: boolean
}

export type MoveDecision =
  | { kind: 'moves'; transition: (typeof transitions)[number] }
  /** `not_now`: it was done already, or cannot be done from where the settlement stands. */
  | { kind: 'refused'; code: 'not_now' | 'same_person' | 'merchant_inactive' }

/**
 * Whether this move is made by this person. Refusals in their order: what the table of states does not allow, the wrong
 * person, a merchant that may not operate. An API key decides nothing, and who validated does not pay. A deactivated
 * merchant stops the validation alone: a transfer that was made is a fact, and a rejection gives back.
 */
export function decideMove(
  settlement: Pick<SettlementRow, 'status' | 'made_by' | 'validated_by'>,
  { trigger, by, merchant_active }: WantedMove,
): MoveDecision {
  const transition = findTransition(transitions, settlement.status, trigger)
  if (transition === null) return { kind: 'refused', code: 'not_now' }
  const others = [settlement.made_by, ...(trigger === 'transfer_made' ? [settlement.validated_by!] : [])]
  if (!others.every((other) => isIndependentApprover(other, by))) return { kind: 'refused', code: 'same_person' }
  if (trigger === 'validated' && !merchant_active) return { kind: 'refused', code: 'merchant_inactive' }
  return { kind: 'moves', transition }
}
