import { randomBytes } from 'node:crypto'
import type { PaymentRow, PaymentStatus } from '../../src/payments/payment.ts'
import { insertPayments } from '../../src/payments/store.ts'
import type { Sql, Tx } from '../../src/platform/postgres/database.ts'
import type { Tenant } from '../../src/values/caller.ts'
import { idFrom } from '../../src/values/ids.ts'
import { emitEvents } from '../../src/webhooks/emit.ts'
import { paymentOf } from './payment-row.ts'
import { withoutTriggers } from './without-triggers.ts'

type Changes = Partial<PaymentRow> & { description?: string; metadata?: string }

/** Inserts payments as the service does, created at `created_at` or now. Returns their ids in order. */
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

/** Moves a payment and writes its event, in one transaction as in the service. */
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

/** Inserts this many successful payments of one merchant, evenly over the last 30 days, in one statement. */
export async function fillManyPayments(sql: Sql, { merchant_id, livemode }: Tenant, count: number): Promise<void> {
  const letter = (shift: number) =>
    `substr('0123456789abcdefghjkmnpqrstvwxyz', ((ms >> ${shift}) & 31)::integer + 1, 1)`
  await sql.begin(async (tx) => {
    await tx`set local statement_timeout = '1h'`
    await withoutTriggers(tx)
    await tx.unsafe(`
      insert into payments (merchant_id, livemode, id, amount, amount_collected, fee_amount, net_amount, currency, status, operator,
                            merchant_reference, msisdn, description, metadata, transition_count, created_at, succeeded_at)
      select ${merchant_id}, ${livemode}, 'txn_' || time || lpad(n::text, 16, '0'), 100 + n % 100000, 100 + n % 100000, 0, 100 + n % 100000, 'XOF',
             case when n % 20 = 0 then 'failed' else 'succeeded' end, (array['orange_ci', 'mtn_ci', 'wave_ci', 'moov_ci'])[1 + n % 4],
             'CMD-' || n, '+22507' || lpad((n::bigint * 7919 % 100000000)::text, 8, '0'), 'Two bags of rice', '{"shop":"Treichville"}', 2, at, at
        from (select n, at, ${[45, 40, 35, 30, 25, 20, 15, 10, 5, 0].map(letter).join(' || ')} as time
                from (select n, at, floor(extract(epoch from at) * 1000)::bigint as ms
                        from (select n, date_trunc('milliseconds', clock_now() - (${count} - n) * interval '30 days' / ${count}
                                                   - interval '1 minute') as at
                                from generate_series(1, ${count}) as n) timed) clocked) named`)
  })
}
