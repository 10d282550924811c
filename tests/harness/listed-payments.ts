import { randomBytes } from 'node:crypto'
import type { PaymentRow, PaymentStatus } from '../../src/payments/payment.ts'
import { insertPayments } from '../../src/payments/store.ts'
import type { Sql, Tx } from '../../src/platform/postgres/database.ts'
import type { Tenant } from '../../src/values/caller.ts'
import { idFrom } from '../../src/values/ids.ts'
import { emitEvents } from '../../src/webhooks/emit.ts'
import { paymentOf } from './payment-row.ts'

type Changes = Partial<PaymentRow> & { description?: string; metadata?: string }

/** Writes payments as money does, created at `now` unless `created_at` says otherwise. Returns their ids in their order. */
export async function createPayments(
  tx: Tx,
  tenant: Tenant,
  now: Date,
  changes: readonly Changes[],
): Promise<string[]> {
  const rows = changes.map((some, nth) => {
    const created_at = some.created_at ?? now
    const own = { reference_key: null, description: null, metadata: null }
    return {
      ...paymentOf({
        created_at,
        id: idFrom('txn', created_at.getTime() - changes.length + nth, randomBytes(10)),
        ...some,
      }),
      ...own,
      ...some,
      ...tenant,
    }
  })
  insertPayments(tx, rows)
  return rows.map(({ id }) => id)
}

/** Moves a payment and tells so, in one transaction, as every move is. */
export async function movePayment(
  sql: Sql,
  { merchant_id, livemode }: Tenant,
  id: string,
  statuses: readonly PaymentStatus[],
  now: Date,
): Promise<void> {
  await sql.begin(async (tx) => {
    for (const status of statuses) {
      await tx`
        update payments
           set status = ${status}, transition_count = transition_count + 1,
               succeeded_at = case when ${status} = 'succeeded' then clock_now() else succeeded_at end
         where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id}`
      const event = {
        merchant_id,
        livemode,
        subject_id: id,
        data: { id },
        type: `payment.${status}` as 'payment.pending',
      }
      await emitEvents(tx, [event], now)
    }
  })
}
