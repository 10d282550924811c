import type { Sql } from '../../platform/postgres/database.ts'
import type { Instruction } from '../instruction.ts'
import type { ReadOutcome } from '../port.ts'
import { endCodeSubmission } from './code-store.ts'

/** Milliseconds after the send within which a payer may type the code. Operators' codes are valid for some minutes. */
const CODE_TAKEN_MS = 10 * 60_000

/**
 * Ends the wait for a code that nobody typed in time. It first uses up the instruction's single try, so that no process
 * can pass on a code later: the operator never had the code, so no money can have moved. Null when no code is awaited,
 * one was typed, or there is time left.
 */
export async function lapseOfCode(sql: Sql, instruction: Instruction): Promise<ReadOutcome | null> {
  const waits = instruction.state === 'sent' && instruction.next_action?.type === 'enter_code'
  if (!waits || !(await endCodeSubmission(sql, instruction, CODE_TAKEN_MS))) return null
  return { kind: 'refused', failure_code: 'payer_timeout', evidence: { reason: 'no code was typed in its time' } }
}
