import { canDecideOn, readDecider } from '../../acts/second-person.ts'
import { type ProposalRow, readWaiting } from '../../beneficiaries/proposal-store.ts'
import { readDesignated } from '../../beneficiaries/store.ts'
import { type Balances, readBalances } from '../../ledger/balances.ts'
import { findOperations } from '../../listings/find-operations.ts'
import { allOf, type ListedOperation } from '../../listings/listed-operation.ts'
import type { ReadSettings } from '../../merchants/fees.ts'
import { describeOperators, type LimitsInForce } from '../../operators/routing/describe-operators.ts'
import type { Registry } from '../../operators/routing/registry.ts'
import { readStops } from '../../operators/store.ts'
import type { WeatherReport } from '../../operators/weather/follow-weather.ts'
import type { WaitingFor } from '../../payouts/approval-store.ts'
import type { UsualCaps } from '../../payouts/spending-limits.ts'
import { findMembers } from '../../people/find-persons.ts'
import { type FormerOwner, findFormerOwners } from '../../people/former-owners.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { readOpen } from '../../settlements/store.ts'
import type { Tenant } from '../../values/caller.ts'
import type { MerchantRole, Right, StaffRole } from '../../values/rights.ts'
import { readTroubledEndpoints, type TroubledEndpoint } from '../../webhooks/store.ts'
import { countApprovals } from '../approvals/waiting.ts'
import { readProposalFor } from '../destination/destination-facts.ts'
import { type MoneyTasks, readMoneyTasks } from './money-tasks.ts'
import { type DayTakings, readLastPaid, readTakings } from './takings.ts'
import { readUnchecked, type UncheckedLimits } from './unchecked.ts'
import { type OperatorWeather, weatherOf } from './weather.ts'

/** The number of payments on the page. */
const LAST_SHOWN = 5
/** The most operations in doubt and open settlements to count. */
const COUNTED_MAX = 100
/** Milliseconds after which an operator without an answer is silent, and its payment in doubt. */
const SILENT_MS = 15 * 60_000
/** Days for which the page tells of a disabled owner. The page of the team tells of them longer. */
const OWNER_TOLD_MS = 14 * 86_400_000

export type HomeDeps = {
  readonly sql: Sql
  readonly clock: Clock
  readonly registry: Registry
  readonly weather: WeatherReport
  readonly settings: ReadSettings
  readonly limitsOf: (tenant: Tenant) => Promise<LimitsInForce>
  readonly payoutCaps: UsualCaps
}

/** A person's role that waits for a second person. */
export type RoleToConfirm = { readonly name: string; readonly role: MerchantRole | StaffRole }

/** The facts of the first page. A part is null when this person lacks its right. Amounts are in francs. */
export type HomeFacts = MoneyTasks & {
  readonly balances: Balances | null
  /** The limits until the merchant is checked. Null: there are none. */
  readonly unchecked: UncheckedLimits | null
  /** The payments of today that succeeded. */
  readonly taken_today: DayTakings | null
  readonly last_paid: ListedOperation | null
  readonly approvals: WaitingFor | null
  readonly roles_to_confirm: readonly RoleToConfirm[] | null
  /** The owners whom the service has disabled lately, for those who confirm roles. */
  readonly owners_disabled: readonly Pick<FormerOwner, 'email' | 'disabled_at'>[] | null
  readonly endpoints: readonly TroubledEndpoint[] | null
  /** The number of settlements that are neither paid nor rejected. */
  readonly settlements_open: number | null
  /** The designated destination, for those who may read settlements. Null: none. */
  readonly destination: { readonly name: string; readonly last4: string } | null
  /** Whether a destination is designated, or waits for a second person. Null: this person may not propose one. */
  readonly has_destination: boolean | null
  /** The settlement destination that this person may confirm. Null: none. */
  readonly destination_to_confirm: ProposalRow | null
  /** The numbers of payouts and payments in doubt, at most a hundred each. */
  readonly payouts_in_doubt: number | null
  readonly payments_in_doubt: number | null
  readonly weather: readonly OperatorWeather[]
  readonly payments: readonly ListedOperation[] | null
}

/** Reads the first page of a person, with only the parts that they may see. */
export async function readHome(
  deps: HomeDeps,
  tenant: Tenant,
  { person, can }: { person: string; can: (right: Right) => boolean },
): Promise<HomeFacts> {
  const { sql, clock } = deps
  const now = clock.now()
  const today = now.toISOString().slice(0, 10)
  const ifMay = <Fact>(right: Right, read: () => Promise<Fact>): Promise<Fact | null> =>
    can(right) ? read() : Promise.resolve(null)
  const countOf = async (filters: Parameters<typeof findOperations>[2]) =>
    (await findOperations(sql, tenant, filters, { limit: COUNTED_MAX, after: null })).rows.length
  const silent = { ...allOf('payment'), statuses: ['pending'], created_before: new Date(now.getTime() - SILENT_MS) }
  const [
    balances,
    taken_today,
    last_paid,
    designated,
    proposed,
    approvals,
    roles_to_confirm,
    owners_disabled,
    endpoints,
    open,
    destination_to_confirm,
    payouts_in_doubt,
    payments_in_doubt,
    weather,
    page,
    money_tasks,
    unchecked,
  ] = await Promise.all([
    ifMay('balances.read', () => readBalances(sql, tenant)),
    ifMay('payments.read', () => readTakings(sql, tenant, today)),
    ifMay('payments.read', () => readLastPaid(sql, tenant)),
    readDesignated(sql, tenant),
    ifMay('destination.propose', () => readWaiting(sql, tenant)),
    ifMay('payouts.approve', () => countApprovals(sql, tenant, person)),
    ifMay('team.confirm', () => readRolesToConfirm(sql, tenant, person)),
    ifMay('team.confirm', () => readDisabledOwners(sql, tenant, now)),
    ifMay('webhooks.read', () => readTroubledEndpoints(sql, tenant)),
    ifMay('settlements.read', () => readOpen(sql, { ...tenant, limit: COUNTED_MAX })),
    ifMay('destination.confirm', () => readProposalFor(sql, tenant, { person, can })),
    ifMay('payouts.read', () => countOf({ ...allOf('payout'), statuses: ['indeterminate'] })),
    ifMay('payments.read', () => countOf(silent)),
    readWeather(deps, tenant),
    ifMay('payments.read', () => findOperations(sql, tenant, allOf('payment'), { limit: LAST_SHOWN, after: null })),
    readMoneyTasks(sql, tenant, { person, can }),
    ifMay('payments.read', () => readUnchecked(deps, tenant)),
  ])
  return {
    ...money_tasks,
    balances,
    unchecked,
    taken_today,
    last_paid,
    approvals,
    roles_to_confirm,
    owners_disabled,
    endpoints,
    settlements_open: open?.length ?? null,
    destination:
      designated !== null && can('settlements.read') ? { name: designated.name, last4: designated.last4 } : null,
    has_destination: can('destination.propose') ? designated !== null || proposed !== null : null,
    destination_to_confirm,
    payouts_in_doubt,
    payments_in_doubt,
    weather,
    payments: page?.rows ?? null,
  }
}

/** Reads the roles that this person may confirm: neither their own nor those that they or somebody whom they let in granted. */
async function readRolesToConfirm(sql: Sql, { merchant_id }: Tenant, person: string): Promise<RoleToConfirm[]> {
  const [members, reader] = await Promise.all([findMembers(sql, merchant_id), readDecider(sql, person)])
  return members.flatMap(({ email, name, roles }) =>
    roles
      .filter(({ to_confirm, granted_by }) => to_confirm && canDecideOn(reader, [granted_by, email]))
      .map(({ role }) => ({ name, role })),
  )
}

async function readDisabledOwners(sql: Sql, { merchant_id }: Tenant, now: Date) {
  const former = await findFormerOwners(sql, merchant_id)
  return former
    .filter(({ disabled_at }) => now.getTime() - disabled_at.getTime() < OWNER_TOLD_MS)
    .map(({ email, disabled_at }) => ({ email, disabled_at }))
}

async function readWeather(
  { sql, registry, weather, settings, limitsOf }: HomeDeps,
  tenant: Tenant,
): Promise<OperatorWeather[]> {
  const [{ active }, limits, { stops }] = await Promise.all([
    settings(tenant.merchant_id),
    limitsOf(tenant),
    readStops(sql, tenant.merchant_id),
  ])
  return weatherOf(describeOperators({ tenant, merchant_active: active, registry, weather, stops, limits }))
}
