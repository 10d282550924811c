import { machineMilliseconds } from '../platform/clock.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue/jobs.ts'
import { carryOutJob, jobsFor } from './jobs.ts'
import { newReference } from './reference.ts'
import * as store from './store.ts'

/**
 * Prepares one instruction for each payment, payout or refund, with the reference it will keep for ever, and the jobs
 * that will send them. In the caller's transaction, with which they travel: nothing is waited for, and nothing is sent to
 * an operator yet.
 */
export function startInstructions(tx: Tx, instructions: readonly Omit<store.NewInstruction, 'reference'>[]): void {
  if (instructions.length === 0) return
  const prepared = instructions.map((instruction) => ({
    ...instruction,
    reference: newReference(machineMilliseconds()),
  }))
  store.insertInstructions(tx, prepared)
  enqueue(tx, carryOutJob, jobsFor(prepared))
}
