import { readBeneficiary } from '../../beneficiaries/store.ts'
import { readBalances } from '../../ledger/balances.ts'
import { readEarlierSends } from '../../listings/earlier-store.ts'
import { findOperations } from '../../listings/find-operations.ts'
import { allOf, type ListedOperation } from '../../listings/listed-operation.ts'
import { feesAt, type ReadSettings } from '../../merchants/fees.ts'
import { type RequestToDecide, readTwins } from '../../payouts/approval-store.ts'
import { readDayUse } from '../../payouts/caps/read-caps.ts'
import type { PayoutRow } from '../../payouts/payout.ts'
import type { UsualCaps } from '../../payouts/spending-limits.ts'
import { readPayout } from '../../payouts/store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db, Sql } from '../../platform/postgres/database.ts'
import { type Tenant, tenantOf } from '../../values/caller.ts'
import { Msisdn } from '../../values/msisdn.ts'
import { ALIKE_DAYS, besideUsual, type CapUse, capAfter, type Funds, fundsAfter, type Usual } from './differences.ts'

const DAY_MS = 86_400_000
/** The number of payouts to the same number on the page. */
const LAST_SHOWN = 5
/** The number of payouts to read in search of single ones. */
const LOOKED_AT = 100

/** The dependencies of the pages of a decision. */
export type ReadDeps = {
  readonly sql: Sql
  readonly clock: Clock
  readonly settings: ReadSettings
  /** The caps of merchants without their own. */
  readonly payoutCaps: UsualCaps
}

/** A payout or a request of the same amount to the same number. */
export type Alike = { kind: 'payout'; id: string; at: Date } | { kind: 'request'; id: string }

/** A request as an approver sees it. Amounts are in francs. */
export type RequestFacts = {
  readonly request: RequestToDecide
  /** Null when nothing was ever sent to this number. */
  readonly last_sent_at: Date | null
  /** The time at which the recipient was added to the book. */
  readonly in_book_since: Date | null
  readonly alike: Alike | null
  /** Null when there are too few payouts to compare with. */
  readonly usual: Usual | null
  readonly fee_amount: number
  readonly funds: Funds
  readonly cap: CapUse
  /** The last payouts to this number. */
  readonly last: readonly ListedOperation[]
}

/** Reads the facts by which an approver decides on a request. */
export async function readRequestFacts(deps: ReadDeps, request: RequestToDecide): Promise<RequestFacts> {
  const { sql, clock, payoutCaps } = deps
  const tenant = tenantOf(request)
  const now = clock.now()
  const toNumber = { ...allOf('payout'), number: Msisdn.stored(request.msisdn) }
  const [merchant, balances, day, differences, entry, last] = await Promise.all([
    deps.settings(tenant.merchant_id),
    readBalances(sql, tenant),
    readDayUse(sql, tenant, payoutCaps, request.id),
    readDifferences(sql, tenant, [request], now),
    readBeneficiary(sql, { ...tenant, id: request.beneficiary_id }),
    findOperations(sql, tenant, toNumber, { limit: LAST_SHOWN, after: null }),
  ])
  const { fee_amount } = feesAt(merchant, 'payout', request.amount, now)
  return {
    request,
    ...differences.get(request.id)!,
    in_book_since: entry?.created_at ?? null,
    fee_amount,
    funds: fundsAfter(balances?.transfer ?? 0, request.amount + fee_amount),
    cap: capAfter({ ...day, amount: request.amount }),
    last: last.rows,
  }
}

export type Differences = Pick<RequestFacts, 'last_sent_at' | 'alike' | 'usual'>

/** Reads the unusual facts of some requests of a merchant, by id. */
export async function readDifferences(
  db: Db,
  tenant: Tenant,
  requests: readonly Pick<RequestToDecide, 'id' | 'msisdn' | 'amount'>[],
  now: Date,
): Promise<ReadonlyMap<string, Differences>> {
  if (requests.length === 0) return new Map()
  const since = new Date(now.getTime() - ALIKE_DAYS * DAY_MS)
  const [earlier, twins, amounts] = await Promise.all([
    readEarlierSends(db, tenant, requests, since),
    readTwins(db, tenant, requests),
    readUsualAmounts(db, tenant),
  ])
  const sent = new Map(earlier.map((one) => [one.id, one]))
  const twinOf = new Map(twins.map(({ id, twin_id }) => [id, twin_id]))
  return new Map(
    requests.map(({ id, amount }) => {
      const { last_sent_at, same_amount_at, same_amount_id } = sent.get(id)!
      const twin_id = twinOf.get(id)
      const alike: Alike | null =
        same_amount_at !== null && same_amount_id !== null
          ? { kind: 'payout', id: same_amount_id, at: same_amount_at }
          : twin_id === undefined
            ? null
            : { kind: 'request', id: twin_id }
      return [id, { last_sent_at, alike, usual: besideUsual(amount, amounts) }]
    }),
  )
}

/** Reads the amounts of the last single payouts, newest first. Lines of batches are another kind. */
export async function readUsualAmounts(db: Db, tenant: Tenant): Promise<number[]> {
  const succeeded = { ...allOf('payout'), statuses: ['succeeded'] }
  const { rows } = await findOperations(db, tenant, succeeded, { limit: LOOKED_AT, after: null })
  return rows.filter(({ parent_id }) => parent_id === null).map(({ amount }) => amount)
}

/** Reads the payout of an approved request. Null when it has none. */
export function readPayoutOf(db: Db, request: RequestToDecide): Promise<PayoutRow | null> {
  const { payout_id } = request
  return payout_id === null ? Promise.resolve(null) : readPayout(db, { ...tenantOf(request), payout_id })
}
