import { readPaymentsIn } from '../payments/store.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { Msisdn } from '../values/msisdn.ts'
import { rangeOf, shortReference } from '../values/short-reference.ts'

/** Payments that one reference shows at most; two are a rarity. */
const FOUND_MAX = 20

/**
 * The payments, of whatever merchant and in both modes, that a payer may mean who reads out the short reference of a receipt.
 * Null: what was written is no such reference.
 */
export async function findReceipt({ sql, clock }: { sql: Sql; clock: Clock }, written: string) {
  const range = rangeOf('txn', written, clock.milliseconds())
  if (range === null) return null
  return (await readPaymentsIn(sql, range, FOUND_MAX)).map(({ msisdn, ...payment }) => ({
    short_reference: shortReference(payment.payment_id),
    ...payment,
    payer: msisdn === null ? null : Msisdn.stored(msisdn).masked,
  }))
}
