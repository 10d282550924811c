import { BANK } from '../external-accounts/external-account.ts'
import { postTransaction } from '../ledger/post.ts'
import { type Leg, type Operation, settlementPaid, settlementRejected } from '../ledger/postings.ts'
import { defineTransition, type Transitioned } from '../platform/commands/transitions.ts'
import { tenantOf } from '../values/caller.ts'
import { isIndependentApprover } from '../values/independent-approver.ts'
import { emitEvent } from '../webhooks/emit.ts'
import { type BankDays, noBankDays, viewSettlement } from './settlement.ts'
import { type SettlementTrigger, transitions } from './states.ts'
import * as store from './store.ts'

/** A transition of a settlement that a person requests. */
export type WantedMove = {
  trigger: SettlementTrigger
  /** The person, in the form of `normalizePerson`. */
  by: string
  /** Whether they let the requester or the validator in within 90 days. Absent: no. */
  stands_behind?: boolean
  /** False: the merchant's account is deactivated. */
  merchant_active: boolean
  /** The bank's reference of the transfer. Absent when no transfer was made. */
  bank_reference?: string | null
  /** The bank account from which it was made. Absent: the account `bank`. */
  bank_account?: string
  /** The transfer's dates in the bank's file. Absent when a person entered the transfer. */
  bank_days?: BankDays
  /** The reason that the merchant sees. Absent: none. */
  rejection_reason?: string | null
  /**
   * The `account_taken_at` after which, as the person states, no transfer of this settlement was made. Absent: no statement.
   */
  no_transfer_since?: Date | null
}

export type MoveDecision =
  | ({ kind: 'moves' } & Transitioned<store.LockedSettlement>)
  /** `not_now`: the move was made already, or the settlement's state does not allow it. */
  | { kind: 'refused'; code: 'not_now' | 'same_person' | 'merchant_inactive' | 'transfer_possible' }

const transitionSettlement = defineTransition({
  rank: 'settlement',
  transitions,
  write: store.updateSettlements,
  change: (
    { validated_by, validated_at }: store.LockedSettlement,
    { to },
    { by, bank_reference = null, bank_days = noBankDays, rejection_reason = null }: Omit<WantedMove, 'trigger'>,
    now,
  ) => ({
    ...(to === 'validated' ? { validated_by: by, validated_at: now } : { validated_by, validated_at }),
    ...(to === 'paid' ? { paid_by: by, paid_at: now } : {}),
    ...(to === 'rejected' ? { rejected_by: by, rejected_at: now } : {}),
    bank_reference,
    ...bank_days,
    rejection_reason,
  }),
  tell: (settlement, type) =>
    emitEvent({ ...tenantOf(settlement), type, subject_id: settlement.id, data: viewSettlement(settlement) }),
})

/** Returns those whom the person of a move may not be, nor have let in within 90 days: the requester, and before a payment the validator. */
export function othersOf(
  { made_by, validated_by }: Pick<store.LockedSettlement, 'made_by' | 'validated_by'>,
  trigger: SettlementTrigger,
): string[] {
  return trigger === 'transfer_made' ? [made_by, validated_by!] : [made_by]
}

/** Returns the posting of a trigger. Null when no money moves. */
export function postingOf(
  trigger: SettlementTrigger,
  amount: number,
  bank_account: string = BANK,
): { operation: Operation; legs: Leg[] } | null {
  if (trigger === 'validated') return null
  if (trigger === 'rejected') return { operation: 'settlement_rejected', legs: settlementRejected(amount) }
  return { operation: 'settlement_paid', legs: settlementPaid(amount, bank_account) }
}

/**
 * Decides a person's move of a locked settlement, and returns the effects: its state, the entries, the merchant's event. Pure.
 *
 * Refusals, in order of precedence: a move that is not in the table of states, the wrong person, a deactivated merchant, a rejection of a
 * settlement whose transfer may be ordered. An API key decides nothing, and the validator does not pay. A deactivated merchant blocks only
 * the validation: a transfer that was made is a fact, and a rejection returns the money. A settlement whose account was taken is
 * rejected only with a statement about exactly the last time, because a person who took it later may have ordered the transfer.
 */
export function decideMove(settlement: store.LockedSettlement, wanted: WantedMove, now: Date): MoveDecision {
  const { trigger, by, merchant_active } = wanted
  const moved = transitionSettlement(settlement, wanted, now)
  if (moved === null) return { kind: 'refused', code: 'not_now' }
  const isOther = othersOf(settlement, trigger).every((other) => isIndependentApprover(other, by))
  if (!isOther || wanted.stands_behind) return { kind: 'refused', code: 'same_person' }
  if (trigger === 'validated' && !merchant_active) return { kind: 'refused', code: 'merchant_inactive' }
  const { account_taken_at } = settlement
  if (
    trigger === 'rejected' &&
    account_taken_at !== null &&
    account_taken_at.getTime() !== wanted.no_transfer_since?.getTime()
  ) {
    return { kind: 'refused', code: 'transfer_possible' }
  }
  const posting = postingOf(trigger, settlement.amount, wanted.bank_account)
  const about = { ...tenantOf(settlement), subject_id: settlement.id }
  const posted = posting === null ? [] : [postTransaction({ ...about, ...posting })]
  return { kind: 'moves', row: moved.row, effects: [...posted, ...moved.effects] }
}
