import type { Log } from '../../platform/log.ts'
import type { Instruction } from '../instruction.ts'
import type { Answer } from './decide.ts'

/** Milliseconds after which a call that did not come back counts as unknown, even if the connector goes on waiting. */
const CALL_DEADLINE = 60_000

/** The answer to what `simulate` settles at once, without a connector and as often as it is asked; null for the rest. */
export function simulatedAnswer({ amount, currency, simulate }: Instruction) {
  if (simulate !== 'succeed') return null
  return { kind: 'settled' as const, amount, currency, evidence: { simulate } }
}

/** Calls an operator. An exception or a call that does not come back is `unknown`: it may have been carried out. */
export async function withinDeadline<Outcome extends Answer>(
  call: () => Promise<Outcome>,
  log: Log,
): Promise<Outcome | { kind: 'unknown'; evidence: { reason: string } }> {
  const { promise: late, resolve } = Promise.withResolvers<{ kind: 'unknown'; evidence: { reason: string } }>()
  const timer = setTimeout(() => resolve({ kind: 'unknown', evidence: { reason: 'no answer in time' } }), CALL_DEADLINE)
  try {
    return await Promise.race([call(), late])
  } catch (error) {
    log.error({ error }, 'operator connector failed: outcome unknown, an inquiry follows')
    return { kind: 'unknown', evidence: { reason: 'the connector failed' } }
  } finally {
    clearTimeout(timer)
  }
}
