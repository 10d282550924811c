import { rowKey, type Tenant } from '../values/caller.ts'
import type { FailureCode } from '../values/failure-codes.ts'
import { Msisdn } from '../values/msisdn.ts'
import type { InstructionState } from './instruction-states.ts'
import type { Collected, Evidence, NextAction, Order } from './port.ts'

/** The row of an instruction: the one order that we give an operator for a payment, payout or refund. */
export type Instruction = Tenant & {
  subject_id: string
  direction: Order['direction']
  operator: string | null
  /** The name of its connector, chosen when its first send begins. Null before that, and when it is simulated. */
  connector: string | null
  amount: number
  currency: 'XOF'
  msisdn: string | null
  /** Test mode only: it succeeds at once, without a connector. */
  simulate: 'succeed' | null
  state: InstructionState
  reference: string
  operator_reference: string | null
  operator_state: Evidence | null
  /** For a refund, the collection that it returns. Otherwise null. */
  refund_of: Collected | null
  next_action: NextAction | null
  failure_code: FailureCode | null
  /** Answers received so far, of sends and of inquiries. */
  asked: number
  /** Sends begun so far. A second one needs a proof that the earlier ones never left, or the conditions of `sent_again`. */
  attempts: number
  /** Of these, the sends begun although an earlier one may have left, because the operator said that it does not hold the order. */
  sent_again: number
  next_check_at: Date | null
  created_at: Date
  /** When it may first have left. Another send of the same order does not change it. */
  sent_at: Date | null
  /** Milliseconds since `sent_at`, by the database's clock; null when it was not sent. */
  sent_ms_ago: number | null
  /**
   * Milliseconds since its operator first refused it vaguely, while it has not said so again; otherwise null. Absent
   * where the row was not locked for an answer.
   */
  vague_ms_ago?: number | null
  /** Milliseconds since its end; null before. Absent as above. */
  ended_ms_ago?: number | null
}

/** Identifies an instruction by its merchant, its mode and its payment, payout or refund. */
export type InstructionKey = Tenant & { subject_id: string }

/** A key as a text, for maps. */
export function instructionKey(of: InstructionKey): string {
  return rowKey(of, of.subject_id)
}

/**
 * Whether an instruction is too old to send: nobody expects a request for yesterday's payment. Only a collection can
 * be. An accepted payout waits as long as payouts are stopped.
 * @param expiry_hours hours after which a collection expires
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
  const { refund_of, amount, currency, sent_at, sent_ms_ago, sent_again } = instruction
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
    sent_ms_ago,
    sent_again,
  }
}
