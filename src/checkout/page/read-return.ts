import { findReferenced } from '../../operators/sending/code-store.ts'
import { readPayment } from '../../payments/store.ts'
import type { Sql } from '../../platform/postgres/database.ts'

/**
 * Finds the session of a payer who comes back from an operator's app. Null when there is none. We give operators
 * `/return/<reference>`, with the instruction's reference that only they and we know, and never a session's address.
 */
export function createReadReturn(sql: Sql) {
  return async (reference: string): Promise<string | null> => {
    if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(reference)) return null
    const found = await findReferenced(sql, reference)
    const payment = found === null ? null : await readPayment(sql, { ...found, payment_id: found.subject_id })
    return payment?.checkout_session_id ?? null
  }
}

export type ReadReturn = ReturnType<typeof createReadReturn>
