import { measureCreation } from './create-payment.ts'
import { besideTpcb, startDatabase } from './database.ts'
import { machineCard } from './machine-card.ts'
import { type Pace, ratio } from './measure.ts'
import { measureWhole } from './whole-payment.ts'

const MANY = 1_000

/**
 * Measures accepted payments and whole payments of one merchant with one endpoint, and the same spread over a thousand.
 * The rows that all of them share (a balance, an endpoint's queue) must not become the bottleneck.
 */
export async function hotMerchantBench({ quick }: Pace): Promise<object> {
  const seconds = quick ? 1 : 15
  const many = quick ? 20 : MANY
  await using database = await startDatabase({ quick })
  const api = ['--only', 'api']
  const [[created_spread, created_one, whole_spread, whole_one], tpcb] = await besideTpcb(database, quick, async () => [
    await measureCreation(database, api, { seconds, merchants: many }),
    await measureCreation(database, api, { seconds, merchants: 1 }),
    await measureWhole(database, { seconds, merchants: many }),
    await measureWhole(database, { seconds, merchants: 1 }),
  ])
  return {
    bench: 'hot-merchant',
    card: await machineCard(database.sql),
    tpcb,
    created: {
      ratio_to_spread: ratio(created_one.per_second, created_spread.per_second),
      spread_over_1000: { ratio_to_tpcb: ratio(created_spread.per_second, tpcb.per_second), ...created_spread },
      one_merchant: { ratio_to_tpcb: ratio(created_one.per_second, tpcb.per_second), ...created_one },
    },
    whole: {
      ratio_to_spread: ratio(whole_one.per_second, whole_spread.per_second),
      spread_over_1000: { ratio_to_tpcb: ratio(whole_spread.per_second, tpcb.per_second), ...whole_spread },
      one_merchant: { ratio_to_tpcb: ratio(whole_one.per_second, tpcb.per_second), ...whole_one },
    },
  }
}
