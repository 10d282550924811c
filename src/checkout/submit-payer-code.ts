import type { SubmitCode } from '../operators/sending/submit-code.ts'
import type { Turn } from '../platform/http/turns.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { Secret } from '../values/secret.ts'
import { readSession } from './store.ts'

export type SubmitPayerCodeResult =
  /** The operator has this code or an earlier one. */
  | { kind: 'submitted' }
  /** `invalid_request`: the text is not a code, or the attempt needs none. */
  | { kind: 'refused'; code: 'invalid_request' | 'session_closed' }

/**
 * Passes on to the operator the one-time code that a payer typed on a session's page. The code is the payer's secret, and
 * stays in memory only during the call.
 */
export function createSubmitPayerCode({ sql, submitCode }: { sql: Sql; submitCode: SubmitCode }) {
  return async (
    key: Tenant & { session_id: string },
    typed: string,
    turn: Pick<Turn, 'without'>,
  ): Promise<SubmitPayerCodeResult> => {
    const digits = typed.replace(/[\s.\-\u00a0\u202f]/g, '')
    if (!/^\d{4,10}$/.test(digits)) return { kind: 'refused', code: 'invalid_request' }
    const session = await readSession(sql, key)
    if (session === null || session.payment_id === null) return { kind: 'refused', code: 'invalid_request' }
    if (!session.attempt_live) {
      return { kind: 'refused', code: session.status === 'open' ? 'invalid_request' : 'session_closed' }
    }
    const { merchant_id, livemode, payment_id: subject_id } = session
    // The operator may take seconds to answer.
    const result = await turn.without(() => submitCode({ merchant_id, livemode, subject_id }, new Secret(digits)))
    return result === 'not_asked' ? { kind: 'refused', code: 'invalid_request' } : { kind: 'submitted' }
  }
}

export type SubmitPayerCode = ReturnType<typeof createSubmitPayerCode>
