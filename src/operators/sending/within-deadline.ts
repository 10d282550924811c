import type { Log } from '../../platform/log.ts'
import type { Instruction } from '../instruction.ts'
import type { Answer } from './answer.ts'

/** Milliseconds after which a call counts as `unknown`, even if the connector goes on waiting. */
const CALL_DEADLINE = 60_000

/**
 * The answer of an instruction with `simulate`, which succeeds at once and without a connector. Null for all others.
 */
export function simulatedAnswer({ amount, currency, simulate }: Instruction) {
  if (simulate !== 'succeed') return null
  return { kind: 'settled' as const, amount, currency, evidence: { simulate } }
}

/**
 * Calls an operator. An exception, or a call that does not return in time, is `unknown`: the operator may have executed
 * it.
 */
export async function withinDeadline<Outcome extends Answer>(
  call: () => Promise<Outcome>,
  log: Log,
): Promise<Outcome | { kind: 'unknown'; evidence: { reason: string } }> {
  const { promise: late, resolve } = Promise.withResolvers<{ kind: 'unknown'; evidence: { reason: string } }>()
  const timer = setTimeout(() => resolve({ kind: 'unknown', evidence: { reason: 'no answer in time' } }), CALL_DEADLINE)
  try {
    return await Promise.race([call(), late])
  } catch (error) {
    log.error({ error }, 'operators: connector failed, outcome unknown, an inquiry follows')
    return { kind: 'unknown', evidence: { reason: 'the connector failed' } }
  } finally {
    clearTimeout(timer)
  }
}
