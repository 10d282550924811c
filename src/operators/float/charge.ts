import { chargeByTariff, type Terms } from '../contracts/connector-terms.ts'
import type { Instruction } from '../instruction.ts'
import type { Answer } from '../sending/decide.ts'
import type { Movement } from './movement-store.ts'

/** Francs that an operator took for an order: an instruction is charged once. Negative: less than was booked before. */
export type Charge = { operator: string | null; amount: number; corrects: boolean }

/** The movement of an instruction that is confirmed through a contract, with the charge that its answer states or else by the tariff. Pure. */
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

/** The difference to a charge that was booked by the tariff, once the operator states its own. Null: there is none. Pure. */
export function correctionOf(booked: Movement, stated: number): Movement | null {
  if (booked.charge_stated || booked.charge === stated) return null
  return { ...booked, number: 2, amount: 0, charge: stated - booked.charge, charge_stated: true }
}

/** The charge that a movement brings to the ledger. Null: nothing is booked. Pure. */
export function chargeIn({ operator, charge, number }: Movement): Charge | null {
  return charge === 0 ? null : { operator, amount: charge, corrects: number > 1 }
}

/** The charge that a proof states; undefined when it states none, or for an answer that is none. Pure. */
export function statedIn(answer: Answer): number | undefined {
  return answer.kind === 'settled' ? answer.charge : undefined
}
