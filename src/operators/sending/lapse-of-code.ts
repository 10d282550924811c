import type { Sql } from '../../platform/postgres/database.ts'
import type { Instruction } from '../instruction.ts'
import type { ReadOutcome } from '../port.ts'
import { endCodeSubmission } from './code-store.ts'

/** Milliseconds after the send in which a payer types the code: operators let theirs live for some minutes. */
const CODE_TAKEN_MS = 10 * 60_000

/**
 * Ends the wait for a code that nobody typed in its time. The one try of the instruction is taken away first, so that no process gives a code
 * any more: the operator never had it, and nothing can have moved. Null: nobody waits for a code, one was typed, or there is time left.
 */
export async function lapseOfCode(sql: Sql, instruction: Instruction): Promise<ReadOutcome | null> {
  const waits = instruction.state === 'sent' && instruction.next_action?.type === 'enter_code'
  if (!waits || !(await endCodeSubmission(sql, instruction, CODE_TAKEN_MS))) return null
  return { kind: 'refused', failure_code: 'payer_timeout', evidence: { reason: 'no code was typed in its time' } }
}
