import { readWalletOf } from '../../external-accounts/store.ts'
import type { Effect } from '../../platform/commands/effects.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { readTerms } from '../contracts/connector-store.ts'
import { chargeIn, movementOf } from '../float/charge.ts'
import { insertMovements } from '../float/movement-store.ts'
import type { Instruction, InstructionKey } from '../instruction.ts'
import { nextState } from '../instruction-states.ts'
import type { Evidence } from '../port.ts'
import type { Conclusion } from '../sending/decide.ts'
import { hasLeftSince } from '../sending/journal-store.ts'
import type { BookCharge, Conclude } from '../sending/record/received-answer.ts'
import * as store from '../store.ts'

/** The effects of an instruction's end on its payment, payout or refund, by direction, and of the operator's charge. */
export type Conclusions = Record<Instruction['direction'], Conclude> & { charge: BookCharge }

/** An outcome that two people established from the operator's evidence. */
export type EndByHand = Exclude<Conclusion, { kind: 'silent' }>

/** An outcome with its evidence. */
export type EstablishedEnd = { conclusion: EndByHand; evidence: Evidence; looked_at: Date; amount?: number | undefined }

/** Whether an instruction waits for its outcome: it may have been sent, and the operator has not concluded it. */
export function isOpen({ state }: Pick<Instruction, 'state'>): boolean {
  return state === 'sending' || state === 'sent' || state === 'unknown'
}

/** Whether a collection's request lapsed without a debit. A proof may still come, and would be credited. */
export function hasLapsed({
  direction,
  state,
  failure_code,
}: Pick<Instruction, 'direction' | 'state' | 'failure_code'>) {
  return direction === 'collect' && state === 'refused' && failure_code === 'payer_timeout'
}

/**
 * Concludes an instruction by the decision of two people, in the caller's transaction. Returns the same effects as an
 * operator's answer; the caller applies them in that transaction. The evidence is stored beside the operator's answers.
 * A lapsed request may be concluded too: from then on no proof of it is credited. Null when people may not conclude it:
 * - there is no such instruction, it was not sent, or its operator has concluded it for good;
 * - the people established a failure, and the order was sent again after that.
 * @param looked_at when they established the outcome, by the database's clock
 * @param amount francs that the operator moved, when they differ from the order's
 */
export async function concludeByHand(
  tx: Tx,
  key: InstructionKey,
  { conclusion, evidence, looked_at, amount }: EstablishedEnd,
  conclusions: Conclusions,
): Promise<readonly Effect[] | null> {
  const [instruction] = await store.lockInstructions(tx, [key])
  if (instruction === undefined) return null
  const succeeded = conclusion.kind === 'succeeded'
  if (!isOpen(instruction) && !hasLapsed(instruction)) return null
  if (!succeeded && (await hasLeftSince(tx, instruction, looked_at))) return null
  const { merchant_id, livemode, subject_id, operator_reference, operator_state } = instruction
  const about = { merchant_id, livemode, subject_id }
  const number = instruction.asked + 1
  store.updateInstructions(tx, [
    {
      ...about,
      state: nextState(instruction.state, succeeded ? 'proven_by_people' : 'refused_by_people'),
      check_in: null,
      is_vague: false,
      // The people have looked, and money that they gave back is no late proof.
      look_in: null,
      failure_code: succeeded ? null : conclusion.failure_code,
      operator_reference,
      operator_state,
      next_action: null,
      asked: number,
    },
  ])
  store.insertAnswers(tx, [
    { ...about, number, source: 'person', outcome: succeeded ? 'settled' : 'refused', evidence },
  ])
  if (!succeeded) return conclusions[instruction.direction]({ ...about, conclusion, wallet: null })
  const wallet = await readWalletOf(tx, instruction)
  const ended = conclusions[instruction.direction]({ ...about, conclusion, wallet })
  const carried = { ...instruction, amount: amount ?? instruction.amount }
  return [...ended, ...(await chargeByHand(tx, carried, wallet, looked_at)).map(conclusions.charge)]
}

/** Records the movement of the money and the charge by the tariff. Returns the charges to book: none without a contract. */
async function chargeByHand(tx: Tx, instruction: Instruction, wallet: string, looked_at: Date) {
  const { merchant_id, livemode, subject_id, connector } = instruction
  const terms = connector === null ? null : await readTerms(tx, connector)
  if (terms === null) return []
  const movement = movementOf(instruction, terms, undefined, looked_at)
  insertMovements(tx, [movement])
  const charge = chargeIn(movement, wallet)
  return charge === null ? [] : [{ merchant_id, livemode, subject_id, ...charge }]
}
