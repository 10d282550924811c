import { chargeByTariff, type Terms } from '../contracts/connector-terms.ts'
import type { Instruction } from '../instruction.ts'
import type { Answer } from '../sending/answer.ts'
import type { Movement } from './movement-store.ts'

/**
 * An operator's charge for an instruction, in francs, taken from a wallet. `corrects`: `amount` is the difference to the charge booked before,
 * negative when the operator took less.
 */
export type Charge = { wallet: string; amount: number; corrects: boolean }

/** The movement of an instruction that its operator confirmed. Its charge is the stated one, otherwise that of the tariff. Pure. */
export function movementOf(instruction: Instruction, terms: Terms, stated: number | undefined, now: Date): Movement {
  const { merchant_id, livemode, subject_id, connector, operator, direction, amount, sent_at } = instruction
  return {
    ...{ merchant_id, livemode, subject_id, number: 1, connector: connector!, operator, direction, amount },
    charge: stated ?? chargeByTariff(terms, instruction),
    charge_stated: stated !== undefined,
    sent_at: sent_at ?? now,
    moved_at: now,
  }
}

/**
 * The correction of a charge booked by the tariff, once the operator states its own. Null when there is no difference,
 * or when the booked charge was a stated one. Pure.
 */
export function correctionOf(booked: Movement, stated: number): Movement | null {
  if (booked.charge_stated || booked.charge === stated) return null
  return { ...booked, number: 2, amount: 0, charge: stated - booked.charge, charge_stated: true }
}

/** The charge that a movement brings to the ledger. Null when it is zero. Pure. */
export function chargeIn({ charge, number }: Movement, wallet: string): Charge | null {
  return charge === 0 ? null : { wallet, amount: charge, corrects: number > 1 }
}

/** The charge stated in a proof; undefined when it states none, and for any other answer. Pure. */
export function statedIn(answer: Answer): number | undefined {
  return answer.kind === 'settled' ? answer.charge : undefined
}
