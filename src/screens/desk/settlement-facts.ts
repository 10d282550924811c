import type { DestinationToday } from '../../beneficiaries/store.ts'
import { readOwner } from '../../cases/store.ts'
import { readMerchantName } from '../../merchants/store.ts'
import { readPersonNames } from '../../people/name-store.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { reviewSettlement } from '../../settlements/review-settlement.ts'
import type { SettlementRow } from '../../settlements/settlement.ts'
import { type PaidBefore, readPaidBefore } from '../../settlements/store.ts'

/** A settlement with the facts for the two people who decide. */
export type SettlementFile = {
  readonly settlement: SettlementRow
  readonly destination_today: DestinationToday
  readonly paid_before: PaidBefore
  readonly merchant: string | null
  readonly owner: string | null
  readonly names: ReadonlyMap<string, string>
}

/** Reads one settlement of one mode. Null when there is none. */
export async function readSettlementFile(db: Db, livemode: boolean, id: string): Promise<SettlementFile | null> {
  const reviewed = await reviewSettlement(db, id)
  if (reviewed.kind === 'refused' || reviewed.settlement.livemode !== livemode) return null
  const { settlement, destination_today } = reviewed
  const { merchant_id, made_by, validated_by, paid_by, rejected_by, account_taken_by } = settlement
  const [paid_before, merchant, owner] = await Promise.all([
    readPaidBefore(db, settlement),
    readMerchantName(db, merchant_id),
    readOwner(db, { merchant_id, livemode, subject_id: id }),
  ])
  const person = owner?.person ?? null
  const names = await readPersonNames(db, [made_by, validated_by, paid_by, rejected_by, account_taken_by, person])
  return { settlement, destination_today, paid_before, merchant, owner: person, names }
}
