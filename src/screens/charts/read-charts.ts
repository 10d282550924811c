import { readDayBalances } from '../../ledger/store.ts'
import { readFigures } from '../../listings/figures-store.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import type { MerchantRight } from '../../values/rights.ts'
import { type ShownEndpoint, showEndpoints } from '../../webhooks/show-deliveries.ts'
import { endpointNames } from '../webhooks/delivery-views.ts'
import { type ChartDay, daysOf, type LostFor, type OperatorRate, ratesOf, reasonsOf } from './figures.ts'
import type { ChartPeriod } from './period.ts'

/** Money in one direction over a period. */
export type Flow = {
  readonly days: readonly ChartDay[]
  readonly operators: readonly OperatorRate[]
  readonly lost_for: readonly LostFor[]
}

type ShownFare = Pick<
  ShownEndpoint,
  'endpoint_id' | 'status' | 'failing_since' | 'sending' | 'retrying' | 'failed' | 'held'
> & {
  /** Its host, and the end of its id where two have the same. The rest of its address may contain a secret. */
  readonly name: string
}

/** The charts of a merchant. A part is null when this person may not see it. */
export type Charts = {
  readonly payments: Flow | null
  readonly payouts: Flow | null
  /** The available balance at the end of each day, in francs. */
  readonly balances: readonly { day: string; balance: number }[] | null
  /** The current state of each endpoint. */
  readonly endpoints: readonly ShownFare[] | null
}

/** Reads each part that a person may see, by one query of its owner's. */
export async function readCharts(
  db: Db,
  tenant: Tenant,
  period: ChartPeriod,
  can: (right: MerchantRight) => boolean,
): Promise<Charts> {
  const flow = async (kind: 'payment' | 'payout', right: MerchantRight): Promise<Flow | null> => {
    if (!can(right)) return null
    const figures = await readFigures(db, tenant, kind, period)
    const days = daysOf(figures.days, period.days)
    return { days, operators: ratesOf(figures.operators), lost_for: reasonsOf(figures.reasons) }
  }
  const [payments, payouts, balances, endpoints] = await Promise.all([
    flow('payment', 'payments.read'),
    flow('payout', 'payouts.read'),
    can('balances.read') ? readDayBalances(db, { ...tenant, account: 'available' }, period) : null,
    can('webhooks.read') ? showEndpoints(db, tenant) : null,
  ])
  const names = endpointNames(endpoints ?? [])
  return {
    ...{ payments, payouts, balances },
    endpoints:
      endpoints?.map(({ endpoint_id, status, failing_since, sending, retrying, failed, held }) => {
        const name = names.get(endpoint_id)!
        return { endpoint_id, name, status, failing_since, sending, retrying, failed, held }
      }) ?? null,
  }
}
