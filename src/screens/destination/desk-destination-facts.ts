import { beneficiaryIdIn } from '../../beneficiaries/beneficiary.ts'
import { readDestination } from '../../beneficiaries/destination-store.ts'
import { findCompanyProposal, type ProposalRow, readProposal } from '../../beneficiaries/proposal-store.ts'
import { type DesignatedDestination, readDesignated } from '../../beneficiaries/store.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { SettlementRules } from '../../settlements/create-settlement.ts'
import { tenantOf } from '../../values/caller.ts'

/** A destination on which the company decides. */
export type CallBack = {
  readonly proposal: ProposalRow
  readonly designated: DesignatedDestination | null
  /** The whole account, once the call is noted: before it, the caller hears its end. */
  readonly account: string | null
  readonly cooling_hours: number
}

/** Reads one proposal of a merchant of one person. Null: there is none in this mode. */
export async function readCallBack(
  { sql, settlementRules }: { sql: Sql; settlementRules: SettlementRules },
  { id: typed, livemode }: { id: string; livemode: boolean },
): Promise<CallBack | null> {
  const id = beneficiaryIdIn(typed)
  const key = id === null ? null : await findCompanyProposal(sql, id)
  if (key === null || key.livemode !== livemode) return null
  const tenant = tenantOf(key)
  const [proposal, designated] = await Promise.all([readProposal(sql, key), readDesignated(sql, tenant)])
  const { beneficiary_id, called_by, status } = proposal!
  const isOpen = called_by !== null || status !== 'proposed'
  const account = isOpen ? (await readDestination(sql, { ...tenant, id: beneficiary_id })).account : null
  return { proposal: proposal!, designated, account, cooling_hours: settlementRules.destination_cooling_hours }
}
