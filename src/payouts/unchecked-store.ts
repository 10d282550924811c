import type { Tx } from '../platform/postgres/database.ts'
import { AMOUNT_MAX } from '../values/amount.ts'
import type { CapTotal, Usage } from './store.ts'

/**
 * Sums the usage of payouts and batches that still counts, in francs, without that of one batch. Requests that wait are left out: nothing left for
 * them.
 */
export async function sumSent(
  tx: Tx,
  { merchant_id, livemode, subject_id }: Omit<Usage, 'amount'>,
  { until }: Pick<CapTotal, 'until'>,
): Promise<number> {
  const [row] = await tx<{ sum: number }[]>`
    select least(coalesce(sum(amount), 0), ${AMOUNT_MAX})::bigint as sum
      from payout_cap_usage
     where merchant_id = ${merchant_id} and livemode = ${livemode} and used_at > ${until}::timestamptz
       and subject_id <> ${subject_id} and subject_id not like 'por\_%'`
  return row!.sum
}
