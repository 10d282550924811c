import { type BeneficiaryRow, viewBeneficiary } from '../../beneficiaries/beneficiary.ts'
import { readDesignated } from '../../beneficiaries/store.ts'
import { type Balances, readBalances } from '../../ledger/balances.ts'
import { readFigures } from '../../listings/figures-store.ts'
import { feeServices } from '../../merchants/fee-words.ts'
import { type FeeSchedule, type FeeService, feeAt } from '../../merchants/fees.ts'
import { readMerchant, selectSettings } from '../../merchants/store.ts'
import type { Silences } from '../../operators/doubts/doubt-store.ts'
import { type CapsInForce, readCapsInUse, type UsualLimits } from '../../payouts/caps/read-caps.ts'
import type { CountPaymentsAbove } from '../../payouts/console/cap-parts.ts'
import { findMembers, type Member } from '../../people/find-persons.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { readFloors } from '../../settlements/store.ts'
import type { Tenant } from '../../values/caller.ts'
import { type ChartDay, daysOf } from '../charts/figures.ts'
import { chartPeriod } from '../charts/period.ts'
import { type DeskCase, findCases } from '../desk/find-cases.ts'

/** The terms of merchants without their own, in francs. */
export type UsualTerms = UsualLimits & { readonly settlement_min: number }

export type MerchantDeps = {
  readonly sql: Sql
  readonly clock: Clock
  readonly silences: Silences
  readonly usualTerms: UsualTerms
  readonly countPaymentsAbove: CountPaymentsAbove
}

/** The fees of one service: those in force, null when there are none, and future ones. */
export type FeesOf = {
  readonly service: FeeService
  readonly in_force: FeeSchedule | null
  /** Future fees, soonest first. */
  readonly to_come: readonly FeeSchedule[]
}

/** The terms in force for a merchant in one mode, in francs. */
export type Terms = {
  readonly fees: readonly FeesOf[]
  readonly caps: CapsInForce & { readonly used: number }
  /** The smallest settlement. */
  readonly floor: number
}

/** The payments of the last days, today included: successful ones with their sum and our fees, and the others. */
export type Received = Omit<ChartDay, 'day'>

/** The facts of a merchant in one mode, for the desk. */
export type MerchantFile = {
  readonly merchant: NonNullable<Awaited<ReturnType<typeof readMerchant>>>
  readonly balances: Balances
  /** The francs of a day in live mode until two people have checked it. Null: it is checked. */
  readonly unchecked_day_max: number | null
  /** The payments of the last 30 days. Amounts are in francs. */
  readonly received: Received
  readonly terms: Terms
  readonly destination: (BeneficiaryRow & { readonly designated_at: Date }) | null
  readonly people: readonly Pick<Member, 'name' | 'roles'>[]
  /** The cases that wait for people, oldest first. */
  readonly cases: readonly DeskCase[]
}

/** Reads the facts of a merchant in one mode. Null for an unknown merchant. */
export async function readMerchantFile(deps: MerchantDeps, tenant: Tenant): Promise<MerchantFile | null> {
  const { sql } = deps
  const { merchant_id, livemode } = tenant
  const merchant = await readMerchant(sql, merchant_id)
  if (merchant === null) return null
  const period = chartPeriod('30', deps.clock.now())
  const [balances, figures, terms, destination, members, { cases }] = await Promise.all([
    readBalances(sql, tenant),
    readFigures(sql, tenant, 'payment', period),
    readTerms(deps, tenant),
    readDesignated(sql, tenant),
    findMembers(sql, merchant_id),
    findCases(deps, livemode),
  ])
  return {
    merchant,
    balances: balances!,
    unchecked_day_max: merchant.is_checked ? null : deps.usualTerms.unchecked_day_max,
    received: receivedOn(daysOf(figures.days, period.days)),
    terms,
    destination,
    // A person who has accepted nothing yet has no name here.
    people: members
      .filter(({ status, roles }) => status !== 'disabled' && roles.some(({ to_accept }) => !to_accept))
      .map(({ name, roles }) => ({ name, roles })),
    cases: cases.filter((one) => one.merchant_id === merchant_id),
  }
}

function receivedOn(days: readonly ChartDay[]): Received {
  const sum = (of: keyof Received) => days.reduce((all, day) => all + day[of], 0)
  return { done: sum('done'), amount: sum('amount'), lost: sum('lost'), fees: sum('fees') }
}

/** Reads the terms of an existing merchant. */
export async function readTerms({ sql, clock, usualTerms }: MerchantDeps, tenant: Tenant): Promise<Terms> {
  const [settings, caps, [floor]] = await Promise.all([
    selectSettings(sql, [tenant.merchant_id]),
    readCapsInUse(sql, tenant, usualTerms),
    readFloors(sql, [tenant]),
  ])
  const { fee_schedules } = settings.get(tenant.merchant_id)!
  const now = clock.now()
  return {
    fees: feeServices.map((service) => ({
      service,
      in_force: feeAt(fee_schedules, service, now),
      to_come: fee_schedules
        .filter((one) => one.service === service && one.effective_from > now)
        .toSorted((one, other) => one.effective_from.getTime() - other.effective_from.getTime()),
    })),
    caps,
    floor: floor?.minimum ?? usualTerms.settlement_min,
  }
}

/** Returns the facts for a program: only the end of the destination, and only names and roles of people. */
export function merchantFacts({ destination, people, ...file }: MerchantFile) {
  return {
    ...file,
    destination: destination && { ...viewBeneficiary(destination), designated_at: destination.designated_at },
    people: people.map(({ name, roles }) => ({ name, roles: roles.map(({ role, counts }) => ({ role, counts })) })),
  }
}
