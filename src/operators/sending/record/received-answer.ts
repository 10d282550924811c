import type { Effect } from '../../../platform/commands/effects.ts'
import type { NewAnomaly } from '../../doubts/anomaly-store.ts'
import type { Charge } from '../../float/charge.ts'
import type { Instruction, InstructionKey } from '../../instruction.ts'
import type { Answer } from '../answer.ts'
import type { Conclusion } from '../decide.ts'

/** The end of an instruction. `wallet`: the external account in which its money moved. Null: no money moved. */
export type Concluded = InstructionKey & { conclusion: Conclusion; wallet: string | null }

/**
 * The effects of an instruction's end on its payment, payout or refund, in the transaction that ends the instruction.
 * Passed in, because those features are in a layer above this one.
 */
export type Conclude = (concluded: Concluded) => readonly Effect[]

/**
 * The effect of an operator's charge on the ledger, in the transaction that confirms the instruction. Passed in too.
 */
export type BookCharge = (charged: InstructionKey & Charge) => Effect

export type ReceivedAnswer = {
  /** The order, and the connector that answered about it. */
  key: InstructionKey & Pick<Instruction, 'direction' | 'connector'>
  source: 'send' | 'inquiry'
  answer: Answer
  /** For an answer to a send, the number of that send. Absent when the answer is about the reference. */
  attempt?: number
  /** Whether the order is one of many of its merchant that are answered together. Absent: no. */
  of_busy?: boolean
  /** For an answer to an inquiry, the number of sends that had begun before it. When absent, all of them. */
  asked_after?: number
  /** Whether a late look at a refused order made us ask. */
  is_look?: boolean
}

export type RecordAnswer = (received: ReceivedAnswer) => Promise<void>

/** A new anomaly `proof_after_refusal`. */
export type MovedAfterRefusal = Pick<NewAnomaly, 'id' | 'livemode'> & Pick<Instruction, 'connector'>
