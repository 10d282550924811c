import { defineJob } from '../platform/queue/jobs.ts'
import type { InstructionKey } from './instruction.ts'

/** Instructions travel together: one job carries what one batch of requests created, all for one operator. */
type Instructions = { instructions: InstructionKey[] }

/** Sends what is `prepared`. */
export const carryOutJob = defineJob<Instructions>('carry-out-instructions', 'money')

/** Asks the operator about what was sent. */
export const askOperatorJob = defineJob<Instructions>('ask-operator', 'money')

/** The simulator calls us back, as an operator would. */
export const simulatorCallbackJob = defineJob<{ references: string[]; time: number }>('simulator-call-back', 'money')
