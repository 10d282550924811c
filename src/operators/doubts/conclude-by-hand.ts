import type { Effect } from '../../platform/commands/effects.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { readTerms } from '../contracts/connector-store.ts'
import { chargeIn, movementOf } from '../float/charge.ts'
import { insertMovements } from '../float/movement-store.ts'
import type { Instruction, InstructionKey } from '../instruction.ts'
import type { Evidence } from '../port.ts'
import type { Conclusion } from '../sending/decide.ts'
import { hasLeftSince } from '../sending/journal-store.ts'
import type { BookCharge, Conclude } from '../sending/record-answer.ts'
import * as store from '../store.ts'

/** The effects of an instruction's end on what is behind it, by its direction, and of its operator's charge. */
export type Conclusions = Record<Instruction['direction'], Conclude> & { charge: BookCharge }

/** An end that two people have established, from what the operator showed them. */
export type EndByHand = Exclude<Conclusion, { kind: 'silent' }>

/** An end with what shows it. */
export type EstablishedEnd = { conclusion: EndByHand; evidence: Evidence; looked_at: Date; amount?: number | undefined }

/** Whether an instruction still waits for its end: it may have been sent, and its operator has not settled it. */
export function isOpen({ state }: Pick<Instruction, 'state'>): boolean {
  return state === 'sending' || state === 'sent' || state === 'unknown'
}

/**
 * Whether the request behind a collection lapsed without a debit: a proof may still come, and would be credited.
 */
export function hasLapsed({
  direction,
  state,
  failure_code,
}: Pick<Instruction, 'direction' | 'state' | 'failure_code'>) {
  return direction === 'collect' && state === 'refused' && failure_code === 'payer_timeout'
}

/**
 * Ends an instruction by the word of people, in the caller's transaction, and returns everything that an operator's word would bring
 * about, to be applied in it. Their evidence is kept beside the operator's answers. A request that lapsed is ended as well: from then on
 * no proof of it is credited. Null when it is not theirs to end: an operator has settled it since, it was refused for good, or what they
 * saw is no longer so: that nothing came of it was true before it left again.
 * @param looked_at when they established it, by the database's clock
 * @param amount francs that the operator moved, where they are not those of the order
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
      state: succeeded ? 'confirmed' : 'refused',
      check_in: null,
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
  const ended = conclusions[instruction.direction]({ ...about, conclusion })
  if (!succeeded) return ended
  const carried = { ...instruction, amount: amount ?? instruction.amount }
  return [...ended, ...(await chargeByHand(tx, carried, looked_at)).map(conclusions.charge)]
}

/** Writes what the operator moved, with the charge of the tariff; nothing where no contract carried it. */
async function chargeByHand(tx: Tx, instruction: Instruction, looked_at: Date) {
  const { merchant_id, livemode, subject_id, connector } = instruction
  const terms = connector === null ? null : await readTerms(tx, connector)
  if (terms === null) return []
  const movement = movementOf(instruction, terms, undefined, looked_at)
  insertMovements(tx, [movement])
  const charge = chargeIn(movement)
  return charge === null ? [] : [{ merchant_id, livemode, subject_id, ...charge }]
}
