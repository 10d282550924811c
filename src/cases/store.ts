import type { Db, Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'

/** Names a case: the payment, payout, refund, anomaly, settlement or adjustment, and its merchant (0: none that we know of). */
export type CaseKey = Tenant & { subject_id: string }

export type CaseOwner = { person: string; taken_at: Date }

/** Reads the person to whom a case is assigned. Null when there is none. */
export async function readOwner(db: Db, { merchant_id, livemode, subject_id }: CaseKey): Promise<CaseOwner | null> {
  const [row] = await db<CaseOwner[]>`
    select person, taken_at
      from case_owners
     where merchant_id = ${merchant_id} and livemode = ${livemode} and subject_id = ${subject_id}`
  return row ?? null
}

/** Reads the people to whom cases of any merchants are assigned, by subject. Unassigned cases are absent. */
export async function readOwners(
  db: Db,
  livemode: boolean,
  subject_ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db<{ subject_id: string; person: string }[]>`
    select subject_id, person
      from case_owners
     where livemode = ${livemode} and subject_id = any(${[...subject_ids]}::text[])`
  return new Map(rows.map(({ subject_id, person }) => [subject_id, person]))
}

/** Assigns a case to a person, and returns the person before. Null when there was none. */
export async function writeOwner(tx: Tx, key: CaseKey, person: string): Promise<string | null> {
  const { merchant_id, livemode, subject_id } = key
  const [before] = await tx<{ person: string }[]>`
    select person
      from case_owners
     where merchant_id = ${merchant_id} and livemode = ${livemode} and subject_id = ${subject_id}
       for no key update`
  await tx`
    insert into case_owners (merchant_id, livemode, subject_id, person)
    values (${merchant_id}, ${livemode}, ${subject_id}, ${person})
    on conflict (merchant_id, livemode, subject_id) do update
      set person = excluded.person, taken_at = excluded.taken_at`
  return before?.person ?? null
}

/** Releases a case of a person. False when it is not assigned to that person. */
export async function deleteOwner(
  tx: Tx,
  { merchant_id, livemode, subject_id }: CaseKey,
  person: string,
): Promise<boolean> {
  const { count } = await tx`
    delete from case_owners
     where merchant_id = ${merchant_id} and livemode = ${livemode} and subject_id = ${subject_id} and person = ${person}`
  return count > 0
}
