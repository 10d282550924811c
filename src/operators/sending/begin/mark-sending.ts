import type { Clock } from '../../../platform/clock.ts'
import type { Effect } from '../../../platform/commands/effects.ts'
import type { Log } from '../../../platform/log.ts'
import type { Tx } from '../../../platform/postgres/database.ts'
import type { FailureCode } from '../../../values/failure-codes.ts'
import type { Instruction, InstructionKey } from '../../instruction.ts'
import type { Registry } from '../../routing/registry.ts'
import type { Conclude } from '../record/received-answer.ts'
import type { SendTerms } from '../send-terms.ts'

/** The order to collect a payment. */
export type Collection = InstructionKey &
  Pick<Instruction, 'operator' | 'amount' | 'currency' | 'msisdn' | 'created_at'>

/** An order whose sending begins. With a failure code, no connector can carry it, and it ends. */
export type Begun = InstructionKey & { failure_code: FailureCode | null }

/** A locked payment that is still to be sent. */
export type ToCollect = { readonly collection: Collection }

/** Moves payments in two steps: first their locks, then, once each has a connector or none, their states. */
export type MarkCollections<Locked extends ToCollect> = {
  /**
   * Locks the payments. Returns those still to be sent, and those that ended while they waited. A payment in neither list cannot be begun
   * now.
   */
  readonly lock: (
    tx: Tx,
    keys: readonly InstructionKey[],
  ) => Promise<{ waiting: readonly Locked[]; ended: readonly InstructionKey[] }>
  /** Moves locked payments whose sending begins, and ends those with a failure code. */
  readonly mark: (
    tx: Tx,
    begun: readonly { readonly of: Locked; readonly failure_code: FailureCode | null }[],
  ) => Promise<void>
}

/**
 * Moves the payments, payouts and refunds that are being sent, or ends them, in the transaction that commits us to
 * sending. Passed in, because those features are in a layer above this one.
 */
export type MarkSending<Locked extends ToCollect> = MarkOrders & { readonly collect: MarkCollections<Locked> }

/** Moves payouts and refunds, which the effect locks. */
export type MarkOrders = {
  readonly payout: (begun: Begun) => Effect
  readonly refund: (begun: Begun) => Effect
}

export type BeginDeps<Mark> = {
  readonly clock: Clock
  readonly log: Log
  readonly registry: Registry
  readonly mark: Mark
  readonly termsOf: SendTerms
  /** Ends payments that are never sent. */
  readonly conclude: Conclude
  /** Hours after which a collection is too old to send. */
  readonly expiry_hours: number
}
