import type { PaymentUndo } from '../../merchants/store.ts'
import type { CapName } from './cap-proposal.ts'

/** The one who asks for another cap: the team, the owner of the merchant, or another person of it. */
export type CapAsker = 'team' | 'owner' | 'member'

/**
 * How it goes on. `lowered` and `restored` hold at once, and `restored` is what stood before the owner lowered it; `proposed` waits for a
 * person of the team; `owner_only`: a lower cap of a payment refuses payers at once, so that only an owner or the team sets it.
 */
export type CapMove = 'same' | 'lowered' | 'restored' | 'proposed' | 'owner_only'

/** Hours for which an owner may set again what stood before it lowered the cap of a payment. */
export const UNDO_HOURS = 24

/** Decides what comes of a wish for another cap, in francs. Pure. @param undo what the owner may set again; null: nothing */
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
 * Leaves the owner after its own move the highest that stood before, to be set again, for 24 hours from the last time that the cap was lowered.
 * One slip after another takes nothing from it.
 */
export function undoAfter(
  move: 'lowered' | 'restored',
  { amount, in_force, undo, now }: { amount: number; in_force: number; undo: PaymentUndo | null; now: Date },
): PaymentUndo | null {
  if (move === 'restored') return amount === undo?.amount ? null : undo
  return { amount: undo?.amount ?? in_force, until: new Date(now.getTime() + UNDO_HOURS * 3_600_000) }
}
