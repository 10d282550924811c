import { findReferenced } from '../../operators/sending/code-store.ts'
import { readPayment } from '../../payments/store.ts'
import type { Sql } from '../../platform/postgres/database.ts'

/**
 * Finds the page that a payer comes back to from an operator's app. Operators are given `/return/<reference>` with the reference of
 * the instruction, which only they and we know, so that no address of a session is told to anybody. Null: there is none.
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
