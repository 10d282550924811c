import { recordAct } from '../../audit-log/record-act.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { enqueue } from '../../platform/queue/jobs.ts'
import type { Actor } from '../../values/actor.ts'
import { jobsFor, queryOperatorJob } from '../sending/jobs.ts'
import { findInstruction } from '../store.ts'
import { isOpen } from './conclude-by-hand.ts'

export type AskResult =
  | { kind: 'asking'; operator: string | null; connector: string | null; answers: number }
  | { kind: 'refused'; code: 'resource_not_found' | 'not_sent' | 'ended' }

/**
 * Adds a job that asks the operator now for the status of a payment, a payout or a refund. The inquiry moves no money
 * and does not postpone the planned ones. `answers` is the number of answers so far. Refusals, in order of precedence:
 * no instruction of this id, not sent, ended.
 * @param by the person who asks, for the audit log
 */
export async function askOperator(sql: Sql, subject_id: string, by: Actor): Promise<AskResult> {
  const instruction = await findInstruction(sql, subject_id)
  if (instruction === null) return { kind: 'refused', code: 'resource_not_found' }
  if (instruction.state === 'prepared') return { kind: 'refused', code: 'not_sent' }
  if (!isOpen(instruction)) return { kind: 'refused', code: 'ended' }
  const { state, operator, connector, asked } = instruction
  await sql.begin(async (tx) => {
    enqueue(tx, queryOperatorJob, jobsFor([instruction]))
    recordAct(tx, instruction, { actor: by, act: 'doubt.ask', subject: subject_id, after: { state, answers: asked } })
  })
  return { kind: 'asking', operator, connector, answers: asked }
}
