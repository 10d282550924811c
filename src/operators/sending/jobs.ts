import { chunksOf } from '../../platform/chunks.ts'
import { defineJob, type NewJob } from '../../platform/queue/jobs.ts'
import type { Instruction, InstructionKey } from '../instruction.ts'

/** The instructions of one job: those that one batch of requests created for one operator. */
type Instructions = { instructions: InstructionKey[] }

/**
 * A waiting group and its collections, copied from the group with their `simulate`. The copy tells whom to ask about
 * when another run took the group, and which references to look up while the group is taken.
 */
export type GroupToSend = { group: string; collections: readonly (InstructionKey & { reference?: string | null })[] }

/** Sends a waiting group of collections. */
export const sendCollectionsJob = defineJob<GroupToSend>('send-collections', 'money')

/** Sends `prepared` instructions. */
export const sendInstructionsJob = defineJob<Instructions>('send-instructions', 'money')

/** Asks the operator about instructions that were sent. */
export const queryOperatorJob = defineJob<Instructions>('query-operator', 'money')

/**
 * Looks again at refused orders. In the queue of upkeep, where an operator has two such jobs at once at most, so that no
 * look delays money.
 */
export const lookAgainJob = defineJob<Instructions>('look-again', 'upkeep')

/** Checks the payouts anew that waited for a stop which people have lifted. */
export const recheckPayoutsJob = defineJob<object>('recheck-payouts', 'money')

/** A callback of the simulator: the references it is about, and their merchant when all belong to one. */
export type SimulatorCallback = { references: string[]; time: number; owner?: string }

/** Makes the simulator call us back, as an operator would. */
export const simulatorCallbackJob = defineJob<SimulatorCallback>('simulator-call-back', 'money')

/**
 * Seconds after which the sweep looks at an instruction without an answer, because its job was lost. The column's
 * default gives a new row the same delay.
 */
export const LOST_JOB_SECONDS = 60

/** Most instructions in one job. */
const JOB_MAX = 64

/**
 * Sends of one job in progress at once. A job begins no more than it sends at once, because an instruction that was begun
 * but not sent when a process dies is in doubt, and so is its money.
 */
export const SENT_TOGETHER = 32

/**
 * Makes jobs for instructions. Each job holds instructions of one operator, and each operator has its own partition of
 * the queue, so that a slow or silent operator delays only its own jobs.
 * @param size the most instructions of one job
 */
export function jobsFor(
  instructions: readonly (InstructionKey & Pick<Instruction, 'operator'>)[],
  size = JOB_MAX,
): NewJob<Instructions>[] {
  return [...Map.groupBy(instructions, partitionOf)].flatMap(([partition_key, group]) =>
    divideByOwner(group, size).map(({ owner, some }) => ({
      payload: { instructions: some.map(keyOf) },
      partition_key,
      owner,
      weight: some.length,
    })),
  )
}

/** Whether these instructions are a job of a merchant that has jobs of its own, because it has many under way. */
export function isOfBusyMerchant(keys: readonly { readonly merchant_id: number }[]): boolean {
  return keys.length >= JOB_MAX / 2 && ownerOf(keys) !== ''
}

/**
 * Divides the items of one operator into jobs of at most `size`. A merchant whose items fill half a job gets jobs of
 * its own, as their owner, and takes turns with other owners. The items of smaller merchants share jobs.
 */
export function divideByOwner<Item extends { readonly merchant_id: number }>(
  items: readonly Item[],
  size: number,
): { owner: string; some: Item[] }[] {
  const groups = [...Map.groupBy(items, ({ merchant_id }) => merchant_id).values()]
  const large = groups.filter(({ length }) => length >= size / 2)
  const small = groups.filter(({ length }) => length < size / 2).flat()
  return [...large, small].flatMap((group) =>
    // In equal parts, so that a merchant with jobs of its own has no small one among them.
    Array.from(chunksOf(group, partOf(group.length, size)), (some) => ({
      owner: ownerOf(some),
      some: [...some],
    })),
  )
}

/** The size of equal parts of at most `size`. */
function partOf(count: number, size: number): number {
  return Math.ceil(count / Math.max(1, Math.ceil(count / size))) || size
}

/** The merchant when all items belong to one; otherwise empty. */
function ownerOf(items: readonly { readonly merchant_id: number }[]): string {
  const first = items[0]!.merchant_id
  return items.every(({ merchant_id }) => merchant_id === first) ? String(first) : ''
}

/** The job that sends a waiting group of collections. */
export function jobForGroup({
  id,
  partition_key,
  owner,
  collections,
}: { id: string; partition_key: string; owner: string } & Pick<GroupToSend, 'collections'>): NewJob<GroupToSend> {
  return { payload: { group: id, collections }, partition_key, owner, weight: collections.length }
}

/** The queue partition of the jobs that call this operator. */
export function partitionOf({ operator, livemode }: Pick<Instruction, 'operator' | 'livemode'>): string {
  return `${livemode ? 'live' : 'test'}/${operator ?? ''}`
}

/** The key of an instruction, without its other fields. */
export function keyOf({ merchant_id, livemode, subject_id }: InstructionKey): InstructionKey {
  return { merchant_id, livemode, subject_id }
}
