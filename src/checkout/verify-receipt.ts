import { readPayment } from '../payments/store.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Receipt, Verification } from './page/facts.ts'
import type { Receipts } from './receipts.ts'

const paidStatuses = ['succeeded', 'refunded', 'partially_refunded'] as const satisfies readonly Receipt['status'][]

/**
 * Checks the text of a receipt, and returns the present state of its payment. We sign only receipts of payments that
 * succeeded. If the database shows no such payment, the receipt counts as forged all the same.
 */
export async function verifyReceipt(deps: { sql: Sql; receipts: Receipts }, text: string): Promise<Verification> {
  const read = deps.receipts.read(text)
  if (read.kind !== 'ours') return { valid: false, reason: read.kind }
  const { merchant_id, ...claim } = read.claim
  const { livemode, payment_id } = claim
  const found = await readPayment(deps.sql, { merchant_id, livemode, payment_id })
  const status = paidStatuses.find((paid) => paid === found?.status)
  return status === undefined ? { valid: false, reason: 'forged' } : { valid: true, claim, status }
}
