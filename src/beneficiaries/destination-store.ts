import type { Db, Tx } from '../platform/postgres/database.ts'
import { matching } from '../platform/postgres/rows.ts'
import type { BeneficiaryKey } from './beneficiary.ts'

// The destinations of settlements, for the staff who pay them.

/** The current state of a destination in the book: designated, no longer designated, or archived. */
export type DestinationToday = 'designated' | 'no_longer_designated' | 'archived'

/** The expression for the current state of an entry, `b`. */
function stateOf(db: Db) {
  return db`case when not b.active then 'archived'
                when b.designated_at is null then 'no_longer_designated'
                else 'designated' end`
}

/** Reads the whole account of a destination, for the person who makes the transfer, and its current state. */
export async function readDestination(
  db: Db,
  { merchant_id, livemode, id }: BeneficiaryKey,
): Promise<{ account: string; destination_today: DestinationToday }> {
  const [row] = await db<{ account: string; destination_today: DestinationToday }[]>`
    select coalesce(iban, msisdn) as account,
           ${stateOf(db)} as destination_today
      from beneficiaries b
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id}`
  return row!
}

/** Reads the whole accounts of destinations, by id, for the file for the bank. */
export async function readAccounts(db: Db, keys: readonly BeneficiaryKey[]): Promise<[id: string, account: string][]> {
  if (keys.length === 0) return []
  const rows = await db<{ id: string; account: string }[]>`
    select b.id, coalesce(b.iban, b.msisdn) as account
      from ${matching(db, 'beneficiaries b', keys, 'id')}`
  return rows.map(({ id, account }) => [id, account])
}

/** Reads the current state of destinations, by id, without their accounts. */
export async function readDestinationsToday(
  db: Db,
  keys: readonly BeneficiaryKey[],
): Promise<[id: string, today: DestinationToday][]> {
  if (keys.length === 0) return []
  const rows = await db<{ id: string; destination_today: DestinationToday }[]>`
    select b.id, ${stateOf(db)} as destination_today
      from ${matching(db, 'beneficiaries b', keys, 'id')}`
  return rows.map(({ id, destination_today }) => [id, destination_today])
}

/**
 * Returns the ids of those that are designated, and keeps them so until the transaction ends: another designation waits for its end. A merchant
 * has one designated destination, so that no two transactions wait for each other.
 */
export async function holdDesignated(tx: Tx, keys: readonly BeneficiaryKey[]): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set()
  const rows = await tx<{ id: string }[]>`
    select b.id
      from ${matching(tx, 'beneficiaries b', keys, 'id')}
     where b.designated_at is not null
     order by b.merchant_id, b.livemode, b.id
       for share of b`
  return new Set(rows.map(({ id }) => id))
}
