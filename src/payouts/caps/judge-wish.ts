import type { PaymentUndo } from '../../merchants/store.ts'
import type { CapName } from './cap-proposal.ts'

/**
 * The person who asks for another cap: one of the staff, an owner of the merchant, or another person of the merchant.
 */
export type CapAsker = 'staff' | 'owner' | 'member'

/**
 * The result of asking for another cap.
 * - `lowered` and `restored` apply at once; `restored` is the cap as it was before the owner lowered it.
 * - `proposed` waits for one of the staff.
 * - `owner_only`: a lower cap of a payment refuses payers at once, so only an owner or the staff may set it.
 */
export type CapMove = 'same' | 'lowered' | 'restored' | 'proposed' | 'owner_only'

/** Hours for which an owner may restore the cap of a payment after lowering it. */
const UNDO_HOURS = 24

/**
 * Decides a request for another cap, in francs. Pure.
 * @param undo the cap that the owner may restore; null when there is none
 */
export function judgeWish(
  { cap, amount }: { cap: CapName; amount: number },
  { in_force, undo }: { in_force: number; undo: PaymentUndo | null },
  asker: CapAsker,
): CapMove {
  if (amount === in_force) return 'same'
  if (amount < in_force) return cap === 'payment' && asker === 'member' ? 'owner_only' : 'lowered'
  return cap === 'payment' && asker === 'owner' && undo !== null && amount <= undo.amount ? 'restored' : 'proposed'
}

/**
 * The cap that the owner may restore after this change: the highest one before, until 24 hours after the last time the
 * cap was lowered. Lowering it several times in a row keeps the highest.
 */
export function undoAfter(
  move: 'lowered' | 'restored',
  { amount, in_force, undo, now }: { amount: number; in_force: number; undo: PaymentUndo | null; now: Date },
): PaymentUndo | null {
  if (move === 'restored') return amount === undo?.amount ? null : undo
  return { amount: undo?.amount ?? in_force, until: new Date(now.getTime() + UNDO_HOURS * 3_600_000) }
}
