import { machineMilliseconds } from '../platform/clock.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue/jobs.ts'
import type { Instruction } from './instruction.ts'
import { newReference } from './reference.ts'
import { divideByOwner, jobsFor, keyOf, partitionOf, SENT_TOGETHER, sendInstructionsJob } from './sending/jobs.ts'
import { insertGroups, type OutboxCollection } from './sending/outbox-store.ts'
import * as store from './store.ts'

/**
 * Prepares the instruction of a payout or a refund, with its permanent reference, and the job that will send it, in the
 * transaction that debits the money. Sends nothing to an operator yet.
 */
export const startInstruction = defineEffect('job', startInstructions)

/**
 * Adds a payment to a group of collections for one operator, and the job that will send the group. The instruction is
 * created when its sending begins (begin-sending.ts): nothing depends on it before. Sends nothing yet.
 */
export const startCollection = defineEffect('job', startCollections)

/** An instruction to prepare. `reference`: derived from the key of its request. Null or absent: the request had no key. */
type ToPrepare = Omit<store.NewInstruction, 'reference'> & { reference?: string | null }

function startInstructions(tx: Tx, instructions: readonly ToPrepare[]): void {
  const prepared = instructions.map(({ reference, ...instruction }) => ({
    ...instruction,
    reference: reference ?? newReference(machineMilliseconds()),
  }))
  store.insertInstructions(tx, prepared)
  enqueue(tx, sendInstructionsJob, jobsFor(prepared))
}

function startCollections(tx: Tx, collections: readonly (OutboxCollection & Pick<Instruction, 'operator'>)[]): void {
  const groups = [...Map.groupBy(collections, partitionOf)].flatMap(([partition_key, group]) =>
    divideByOwner(group, SENT_TOGETHER).map(({ owner, some }) => ({
      id: newReference(machineMilliseconds()),
      partition_key,
      owner,
      collections: some.map((one) => ({ ...keyOf(one), simulate: one.simulate, reference: one.reference ?? null })),
    })),
  )
  insertGroups(tx, groups)
}
