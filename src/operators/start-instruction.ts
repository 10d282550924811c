import { machineMilliseconds } from '../platform/clock.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue/jobs.ts'
import type { Instruction } from './instruction.ts'
import { carryOutJob, divideByOwner, jobsFor, keyOf, lineOf, SENT_TOGETHER } from './jobs.ts'
import { newReference } from './reference.ts'
import * as store from './store.ts'
import { insertGroups, type WaitingCollection } from './waiting-store.ts'

/**
 * Prepares one instruction for each payout or refund, with the reference it will keep for ever, and the jobs that will send them:
 * their money is set aside from here on. In the caller's transaction, with which they travel: nothing is waited for, and nothing
 * is sent to an operator yet.
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

/** One of them. */
export const startInstruction = defineEffect('job', startInstructions)

/**
 * Has payments wait to be collected, in groups of one operator each, and adds the jobs that will send them. Their instructions are
 * made of them when their sending begins (send-collections.ts): until then nothing depends on one. In the caller's transaction,
 * like the above.
 */
export function startCollections(
  tx: Tx,
  collections: readonly (WaitingCollection & Pick<Instruction, 'operator'>)[],
): void {
  const groups = [...Map.groupBy(collections, lineOf)].flatMap(([line, group]) =>
    divideByOwner(group, SENT_TOGETHER).map(({ owner, some }) => ({
      id: newReference(machineMilliseconds()),
      line,
      owner,
      collections: some.map((one) => ({ ...keyOf(one), simulate: one.simulate })),
    })),
  )
  if (groups.length === 0) return
  insertGroups(tx, groups)
}
