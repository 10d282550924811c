import { chunksOf } from '../platform/chunks.ts'
import { defineJob, type NewJob } from '../platform/queue/jobs.ts'
import type { Instruction, InstructionKey } from './instruction.ts'

/** Instructions travel together: one job carries what one batch of requests created, all for one operator. */
type Instructions = { instructions: InstructionKey[] }

/** Sends what is `prepared`. */
export const carryOutJob = defineJob<Instructions>('carry-out-instructions', 'money')

/** Asks the operator about what was sent. */
export const askOperatorJob = defineJob<Instructions>('ask-operator', 'money')

/** The simulator calls us back, as an operator would. */
export const simulatorCallbackJob = defineJob<{ references: string[]; time: number }>('simulator-call-back', 'money')

/** Instructions that one job carries at most. */
const JOB_MAX = 64

/**
 * Jobs for instructions. Each holds those of one operator only, and an operator's are a line of their own, so that one that is
 * slow, or that answers no more, holds up only its own.
 */
export function jobsFor(
  instructions: readonly (InstructionKey & Pick<Instruction, 'operator'>)[],
): NewJob<Instructions>[] {
  const byOperator = Map.groupBy(
    instructions,
    ({ operator, livemode }) => `${livemode ? 'live' : 'test'}/${operator ?? ''}`,
  )
  return [...byOperator].flatMap(([line, group]) =>
    [...chunksOf(group.map(keyOf), JOB_MAX)].map((keys) => ({ payload: { instructions: keys }, line })),
  )
}

function keyOf({ merchant_id, livemode, subject_id }: InstructionKey): InstructionKey {
  return { merchant_id, livemode, subject_id }
}
