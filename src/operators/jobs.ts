import { chunksOf } from '../platform/chunks.ts'
import { defineJob, type NewJob } from '../platform/queue/jobs.ts'
import type { Instruction, InstructionKey } from './instruction.ts'

/** Instructions travel together: one job carries what one batch of requests created, all for one operator. */
type Instructions = { instructions: InstructionKey[] }

/**
 * A group of collections that waits, and the collections it should hold, to be asked about if somebody else took it. They stand here as
 * they stand in the group, with what they are to simulate.
 */
export type GroupToSend = { group: string; collections: readonly InstructionKey[] }

/** Sends such a group. */
export const sendCollectionsJob = defineJob<GroupToSend>('send-collections', 'money')

/** Sends what is `prepared`. */
export const carryOutJob = defineJob<Instructions>('carry-out-instructions', 'money')

/** Asks the operator about what was sent. */
export const askOperatorJob = defineJob<Instructions>('ask-operator', 'money')

/** The simulator calls us back, as an operator would. */
export const simulatorCallbackJob = defineJob<{ references: string[]; time: number }>('simulator-call-back', 'money')

/**
 * Seconds after which a sweep looks at what it has not heard of: its job was lost. What is new has the same from its column
 * (migrations 0020 and 0029).
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
 * Jobs for instructions. Each holds those of one operator only, and an operator's are a line of their own, so that one that is
 * slow, or that answers no more, holds up only its own.
 */
export function jobsFor(
  instructions: readonly (InstructionKey & Pick<Instruction, 'operator'>)[],
): NewJob<Instructions>[] {
  return [...Map.groupBy(instructions, lineOf)].flatMap(([line, group]) =>
    [...chunksOf(group.map(keyOf), JOB_MAX)].map((keys) => ({ payload: { instructions: keys }, line })),
  )
}

/** The job of a group of collections that waits. */
export function jobForGroup({
  id,
  line,
  collections,
}: { id: string; line: string } & Pick<GroupToSend, 'collections'>): NewJob<GroupToSend> {
  return { payload: { group: id, collections }, line }
}

/** The line of jobs that call this operator. */
export function lineOf({ operator, livemode }: Pick<Instruction, 'operator' | 'livemode'>): string {
  return `${livemode ? 'live' : 'test'}/${operator ?? ''}`
}

/** Which instruction, and nothing else of it. */
export function keyOf({ merchant_id, livemode, subject_id }: InstructionKey): InstructionKey {
  return { merchant_id, livemode, subject_id }
}
