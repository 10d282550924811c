import { readPaymentsIn } from '../payments/store.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { Msisdn } from '../values/msisdn.ts'
import { rangeOf, shortReference } from '../values/short-reference.ts'

/** Most payments shown for one reference. Two are rare. */
const FOUND_MAX = 20

/**
 * The payments with the short reference that a payer reads out from a receipt, of all merchants and in both modes. Null
 * when the text is not a short reference.
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
