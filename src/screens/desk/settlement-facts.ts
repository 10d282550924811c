import { creatorOfKey } from '../../api-keys/find-keys.ts'
import type { DestinationToday } from '../../beneficiaries/destination-store.ts'
import type { ExternalAccount } from '../../external-accounts/external-account.ts'
import { readAccounts } from '../../external-accounts/store.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { reviewSettlement } from '../../settlements/review-settlement.ts'
import type { SettlementRow } from '../../settlements/settlement.ts'
import { type PaidBefore, readPaidBefore } from '../../settlements/store.ts'
import { type Around, readAround } from './subject-page.ts'

/** A settlement with the facts for the two people who decide. */
export type SettlementFile = Around & {
  readonly settlement: SettlementRow
  readonly destination_today: DestinationToday
  readonly paid_before: PaidBefore
  /** The creator of the API key that requested it. Null: a person did, or nobody knows. */
  readonly creator: string | null
  readonly accounts: readonly ExternalAccount[]
}

/** Reads one settlement of one mode. Null when there is none. @param reader the person who opens its page */
export async function readSettlementFile(
  db: Db,
  livemode: boolean,
  id: string,
  reader: string,
): Promise<SettlementFile | null> {
  const reviewed = await reviewSettlement(db, id)
  if (reviewed.kind === 'refused' || reviewed.settlement.livemode !== livemode) return null
  const { settlement, destination_today } = reviewed
  const { merchant_id, made_by, validated_by, paid_by, rejected_by, account_taken_by } = settlement
  const people = [made_by, validated_by, paid_by, rejected_by, account_taken_by]
  const [paid_before, creator, accounts, around] = await Promise.all([
    readPaidBefore(db, settlement),
    creatorOfKey(db, { merchant_id, livemode }, made_by),
    readAccounts(db, livemode),
    readAround(db, { merchant_id, livemode, id }, people, reader),
  ])
  return { settlement, destination_today, paid_before, creator, accounts, ...around }
}
