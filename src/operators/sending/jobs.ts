import { chunksOf } from '../../platform/chunks.ts'
import { defineJob, type NewJob } from '../../platform/queue/jobs.ts'
import type { Instruction, InstructionKey } from '../instruction.ts'

/** Instructions travel together: one job carries what one batch of requests created, all for one operator. */
type Instructions = { instructions: InstructionKey[] }

/**
 * A group of collections that waits, and the collections it should hold, to be asked about if another run took it. They stand here as
 * they stand in the group, with their `simulate`.
 */
export type GroupToSend = { group: string; collections: readonly InstructionKey[] }

/** Sends such a group. */
export const sendCollectionsJob = defineJob<GroupToSend>('send-collections', 'money')

/** Sends `prepared` instructions. */
export const sendInstructionsJob = defineJob<Instructions>('send-instructions', 'money')

/** Asks the operator about instructions that were sent. */
export const queryOperatorJob = defineJob<Instructions>('query-operator', 'money')

/** A callback of the simulator: the references it is about, and the merchant whose orders these are, when they are one's. */
export type SimulatorCallback = { references: string[]; time: number; owner?: string }

/** The simulator calls us back, as an operator would. */
export const simulatorCallbackJob = defineJob<SimulatorCallback>('simulator-call-back', 'money')

/**
 * Seconds after which a sweep looks at an instruction that no answer came for: its job was lost. A new row gets the same delay
 * from the default of its column.
 */
export const LOST_JOB_SECONDS = 60

/** Instructions that one job carries at most. */
const JOB_MAX = 64

/**
 * Sends of one job under way at once. A job begins no more than it sends at once: what was begun and not sent when a
 * process dies is in doubt, and its money with it.
 */
export const SENT_TOGETHER = 32

/**
 * Jobs for instructions. Each holds those of one operator only, and an operator's are a partition of their own, so that one that is
 * slow, or that answers no more, holds up only its own.
 */
export function jobsFor(
  instructions: readonly (InstructionKey & Pick<Instruction, 'operator'>)[],
): NewJob<Instructions>[] {
  return [...Map.groupBy(instructions, partitionOf)].flatMap(([partition_key, group]) =>
    divideByOwner(group, JOB_MAX).map(({ owner, some }) => ({
      payload: { instructions: some.map(keyOf) },
      partition_key,
      owner,
      weight: some.length,
    })),
  )
}

/**
 * Divides what goes to one operator into jobs of `size` at most. A merchant that fills half a job has jobs of its own, of which it is
 * the owner, and takes turns with the others; those with fewer travel together.
 */
export function divideByOwner<Item extends { readonly merchant_id: number }>(
  items: readonly Item[],
  size: number,
): { owner: string; some: Item[] }[] {
  const groups = [...Map.groupBy(items, ({ merchant_id }) => merchant_id).values()]
  const large = groups.filter(({ length }) => length >= size / 2)
  const small = groups.filter(({ length }) => length < size / 2).flat()
  return [...large, small].flatMap((group) =>
    Array.from(chunksOf(group, size), (some) => ({ owner: ownerOf(some), some: [...some] })),
  )
}

/** The merchant, when all of these are one's; otherwise empty. */
function ownerOf(items: readonly { readonly merchant_id: number }[]): string {
  const first = items[0]!.merchant_id
  return items.every(({ merchant_id }) => merchant_id === first) ? String(first) : ''
}

/** The job of a group of collections that waits. */
export function jobForGroup({
  id,
  partition_key,
  owner,
  collections,
}: { id: string; partition_key: string; owner: string } & Pick<GroupToSend, 'collections'>): NewJob<GroupToSend> {
  return { payload: { group: id, collections }, partition_key, owner, weight: collections.length }
}

/** The partition of jobs that call this operator. */
export function partitionOf({ operator, livemode }: Pick<Instruction, 'operator' | 'livemode'>): string {
  return `${livemode ? 'live' : 'test'}/${operator ?? ''}`
}

/** The key of an instruction, without its other fields. */
export function keyOf({ merchant_id, livemode, subject_id }: InstructionKey): InstructionKey {
  return { merchant_id, livemode, subject_id }
}
