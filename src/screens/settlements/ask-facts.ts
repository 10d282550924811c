import { readDesignated } from '../../beneficiaries/store.ts'
import { readBalances } from '../../ledger/balances.ts'
import type { ReadSettings } from '../../merchants/fees.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { SettlementRules } from '../../settlements/create-settlement.ts'
import { readFloors } from '../../settlements/store.ts'
import type { Tenant } from '../../values/caller.ts'

export type AskDeps = {
  readonly sql: Sql
  readonly settlementRules: SettlementRules
  readonly settings: ReadSettings
}

/** The destination of settlements, with only the end of its account. */
export type AskDestination = {
  readonly id: string
  readonly name: string
  /** The operator of a wallet. Null for a bank account. */
  readonly operator: string | null
  readonly last4: string
  readonly designated_at: Date
  readonly serves_from: Date
  readonly has_cooled: boolean
}

/** The facts for a request of a settlement. Amounts are in francs. */
export type AskFacts = {
  readonly available: number
  /** The smallest settlement. */
  readonly floor: number
  readonly active: boolean
  /** Null when no destination is designated. */
  readonly destination: AskDestination | null
}

/** The moment until which the destination cools. Null: it serves, or there is none. */
export function coolsUntil({ destination }: AskFacts): Date | null {
  return destination === null || destination.has_cooled ? null : destination.serves_from
}

/** Reads the amount that a merchant can request, and the destination. */
export async function readAsk({ sql, settlementRules, settings }: AskDeps, tenant: Tenant): Promise<AskFacts> {
  const [balances, [own], { active }, designated] = await Promise.all([
    readBalances(sql, tenant),
    readFloors(sql, [tenant]),
    settings(tenant.merchant_id),
    readDesignated(sql, tenant, settlementRules.destination_cooling_hours),
  ])
  const available = balances?.available ?? 0
  const floor = own?.minimum ?? settlementRules.settlement_min
  if (designated === null) return { available, floor, active, destination: null }
  const { id, name, operator, last4, designated_at, serves_from, has_cooled } = designated
  const destination = { id, name, operator, last4, designated_at, serves_from, has_cooled }
  return { available, floor, active, destination }
}
