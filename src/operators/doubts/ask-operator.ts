import { defineAct, refuse, row } from '../../acts/act.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import { enqueue } from '../../platform/queue/jobs.ts'
import { tenantOf } from '../../values/caller.ts'
import type { Instruction } from '../instruction.ts'
import { jobsFor, queryOperatorJob } from '../sending/jobs.ts'
import { findInstruction } from '../store.ts'
import { findAnomaly } from './anomaly-store.ts'
import { isOpen } from './conclude-by-hand.ts'

const askNow = defineEffect<Instruction>('job', (tx, instructions) => {
  enqueue(tx, queryOperatorJob, jobsFor(instructions))
})

/**
 * Asks the operator now about a payment, a payout or a refund, by its id or that of its anomaly. The inquiry moves no money and does not
 * postpone the planned ones.
 */
export const askOperator = defineAct({
  name: 'doubt.ask',
  summary: 'Ask the operator now about the outcome of an operation',
  title: ['Interroger l’opérateur', 'Ask the operator'],
  right: 'cases.read',
  fresh: false,
  on: row('any', 'payment, payout or refund'),
  fields: {},
  async load(tx, { id }) {
    const subject_id = id.startsWith('ano_') ? (await findAnomaly(tx, id))?.subject_id : id
    const instruction = subject_id === undefined ? null : await findInstruction(tx, subject_id)
    return instruction && { about: tenantOf(instruction), instruction }
  },
  facts: {},
  content: () => ({}),
  decide(_, { instruction }) {
    const { state, asked: answers, subject_id: subject, operator, connector } = instruction
    if (state === 'prepared') return refuse('not_sent')
    if (!isOpen(instruction)) return refuse('ended')
    const result = { id: subject, operator, connector, answers }
    return { kind: 'accepted', effects: [askNow(instruction)], result, subject, after: { state, answers } }
  },
  unknown: 'No order with this id was sent to an operator.',
  refusals: {
    not_sent: {
      words: [
        'Rien n’est encore parti : il n’y a rien à demander.',
        'Nothing has left yet: there is nothing to ask about.',
      ],
      command: 'This operation was not sent yet, so there is nothing to ask about.',
    },
    ended: {
      words: [
        'Ce n’est plus en doute : l’opération est finie.',
        'This is no longer in doubt: the operation has ended.',
      ],
      command: 'This operation is not in doubt: it has ended. See bandama doubt show.',
    },
  },
})
