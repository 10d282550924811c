import type { Tenant } from '../values/caller.ts'
import type { FailureCode } from '../values/failure-codes.ts'
import { Msisdn } from '../values/msisdn.ts'
import type { Collected, Evidence, NextAction, Order } from './port.ts'

export type InstructionState = 'prepared' | 'sending' | 'sent' | 'unknown' | 'confirmed' | 'refused'

/** The row of the one order we give an operator for one payment, payout or refund. */
export type Instruction = Tenant & {
  subject_id: string
  direction: Order['direction']
  operator: string | null
  /** The name of the connector that carries it, chosen once, when its sending first begins. Null: not begun, or simulated. */
  connector: string | null
  amount: number
  currency: 'XOF'
  msisdn: string | null
  /** Test mode only: settled at once, without the connector. */
  simulate: 'succeed' | null
  state: InstructionState
  reference: string
  operator_reference: string | null
  operator_state: Evidence | null
  /** Of a refund: the collection that it gives back. */
  refund_of: Collected | null
  next_action: NextAction | null
  failure_code: FailureCode | null
  /** Answers received so far, of sends and of inquiries. */
  asked: number
  /** Sends begun so far: more than one only after a proof that the one before never left, or as `sent_again` says. */
  attempts: number
  /** Of these, how many were begun although one before may have left, because its operator said that it does not hold it. */
  sent_again: number
  next_check_at: Date | null
  created_at: Date
  /** When it first may have left: a send that repeats another is as old as that one. */
  sent_at: Date | null
  /** Milliseconds since it was sent, by the database's clock; null when it was not. */
  sent_ms_ago: number | null
}

/** Names an instruction by its payment, payout or refund, and its merchant. */
export type InstructionKey = Tenant & { subject_id: string }

/** One text for a key, to look instructions up by. */
export function instructionKey(of: InstructionKey): string {
  return `${of.merchant_id}/${of.livemode}/${of.subject_id}`
}

/**
 * Whether an instruction is not to be sent any more: nobody expects to be asked for yesterday's payment. A collection only: an
 * accepted payout waits for as long as payouts are stopped.
 * @param expiry_hours hours after which a collection is given up
 */
export function isTooOld(
  { direction, created_at }: Pick<Instruction, 'direction' | 'created_at'>,
  now: Date,
  expiry_hours: number,
): boolean {
  return direction === 'collect' && now.getTime() - created_at.getTime() > expiry_hours * 3_600_000
}

/** The part of an instruction that a connector sees. */
export function orderOf(instruction: Instruction): Order {
  const { merchant_id, livemode, direction, operator, reference, operator_reference, operator_state } = instruction
  const { refund_of, amount, currency, sent_at } = instruction
  const msisdn = instruction.msisdn === null ? null : Msisdn.stored(instruction.msisdn)
  return {
    merchant_id,
    livemode,
    direction,
    operator,
    reference,
    operator_reference,
    operator_state,
    amount,
    currency,
    msisdn,
    refund_of,
    sent_at,
  }
}
