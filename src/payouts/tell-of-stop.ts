import { readMerchantIds } from '../merchants/store.ts'
import { notify } from '../people/notices/notify.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { defineJob } from '../platform/queue/jobs.ts'
import type { Stop } from './store.ts'
import * as store from './told-stop-store.ts'

/** Added by the transaction that stops payouts. Finding the merchants concerned takes longer than a stop may. */
export const tellOfStopJob = defineJob<Stop>('tell-of-stop', 'upkeep')

/** A merchant that sent nothing in these days is not concerned by a stop of all payouts, or of an operator's. */
const CONCERNED_DAYS = 30

/**
 * Tells the people who make payouts that the company has stopped them: at the merchant of the stop, or at each merchant that sent money in the last
 * thirty days, through that operator. Once for each stop, and not at all once it is lifted: its note on the screens is gone too.
 */
export function createTellOfStop({ sql, clock }: { readonly sql: Sql; readonly clock: Clock }) {
  return async (stop: Stop): Promise<void> => {
    const since = clock.milliseconds() - CONCERNED_DAYS * 86_400_000
    const concerned = await merchantsOf(stop)
    await sql.begin(async (tx) => {
      if (!(await store.markTold(tx, stop))) return
      for (const merchant_id of concerned) {
        notify(tx, { name: 'payouts_stopped', about: { merchant_id, livemode: null } })
      }
    })

    async function merchantsOf({ scope, value }: Stop): Promise<number[]> {
      if (scope === 'merchant') return [Number(value)]
      const operator = scope === 'operator' ? value : null
      const senders: number[] = []
      for (const merchant_id of await readMerchantIds(sql)) {
        if (await store.hasSentSince(sql, { merchant_id, since, operator })) senders.push(merchant_id)
      }
      return senders
    }
  }
}
