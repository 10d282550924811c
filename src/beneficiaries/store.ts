import type { Db, Tx } from '../platform/postgres/database.ts'
import { given, insertRows, matching, sameRow } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'
import type { BeneficiaryKey, BeneficiaryKind, BeneficiaryRow } from './beneficiary.ts'

const columns = [
  'merchant_id',
  'livemode',
  'id',
  'kind',
  'label',
  'name',
  'operator',
  'last4',
  'active',
  'created_at',
  'archived_at',
]

/** A destination of money. One of the two fields is null. */
export type Destination = { msisdn: string | null; iban: string | null }

export type NewEntry = BeneficiaryKey &
  Destination & {
    kind: BeneficiaryKind
    label: string | null
    name: string
    operator: string | null
    /** `key:…` for an API key, a person, or `system`. */
    added_by: string
  }

/**
 * Inserts entries under the caller's ids. Fails for a destination with an active entry. Rows are written in one order, so
 * that two transactions with the same numbers never deadlock, and in one statement, because its trigger then locks the sizes of the books,
 * and they come after all entries in the lock order.
 */
export function insertEntries(tx: Tx, entries: readonly NewEntry[]): void {
  const rows = entries.map((entry) => ({ ...entry, last4: destinationOf(entry).slice(-4) }))
  rows.sort(
    (one, other) =>
      one.merchant_id - other.merchant_id ||
      Number(one.livemode) - Number(other.livemode) ||
      (destinationOf(one) < destinationOf(other) ? -1 : 1),
  )
  insertRows(tx, 'beneficiaries', rows)
}

function destinationOf({ msisdn, iban }: Destination): string {
  return msisdn ?? iban!
}

/** Reads the active entry of a destination in a merchant's book. Null when there is none. */
export async function readActive(
  db: Db,
  { merchant_id, livemode, kind, msisdn, iban }: Tenant & Pick<NewEntry, 'kind' | 'msisdn' | 'iban'>,
): Promise<BeneficiaryRow | null> {
  const [row] = await db<BeneficiaryRow[]>`
    select ${db(columns)}
      from beneficiaries
     where merchant_id = ${merchant_id} and livemode = ${livemode} and kind = ${kind} and active
       and ${msisdn === null ? db`iban = ${iban}` : db`msisdn = ${msisdn}`}`
  return row ?? null
}

export type PayoutDestination = BeneficiaryRow & { msisdn: string }

/**
 * Reads the active entries of the payout book with these numbers, at most one each. The lateral join looks them up one by one: PostgreSQL
 * would plan a plain join for the empty table of a new service, and read the whole table until it has statistics.
 */
export async function readActivePayoutByNumber(
  tx: Tx,
  numbers: readonly (Tenant & { msisdn: string })[],
): Promise<PayoutDestination[]> {
  return tx<PayoutDestination[]>`
    select ${tx(columns.map((column) => `b.${column}`))}, b.msisdn
      from ${given(tx, 'beneficiaries w', numbers, ['merchant_id', 'livemode', 'msisdn'])}
     cross join lateral (
           select ${tx(columns.map((column) => `e.${column}`))}, e.msisdn
             from beneficiaries e
            where ${sameRow(tx, 'e', 'w', numbers, 'msisdn')} and kind = 'payout' and active
            limit 1) b`
}

/** Reads the active entries of the payout book among these. An absent one is not the merchant's, archived, or of another kind. */
export async function readActivePayout(tx: Tx, keys: readonly BeneficiaryKey[]): Promise<PayoutDestination[]> {
  return tx<PayoutDestination[]>`
    select ${tx(columns.map((column) => `b.${column}`))}, b.msisdn
      from ${matching(tx, 'beneficiaries b', keys, 'id')}
     where b.kind = 'payout' and b.active`
}

/** A number in the payout book: whether it has an active entry, that entry's label, and the count of its archived entries. */
export type NumberInBook = { msisdn: string; active: boolean; label: string | null; archived: number }

/** Reads each of these numbers in a merchant's book. */
export async function readNumbers(
  tx: Tx,
  { merchant_id, livemode }: Tenant,
  msisdns: readonly string[],
): Promise<NumberInBook[]> {
  return tx<NumberInBook[]>`
    select n.msisdn, b.id is not null as active, b.label,
           (select count(*)::integer
              from beneficiaries a
             where a.merchant_id = ${merchant_id} and a.livemode = ${livemode} and a.kind = 'payout'
               and a.msisdn = n.msisdn and not a.active) as archived
      from unnest(${msisdns}::text[]) as n(msisdn)
      left join beneficiaries b
        on b.merchant_id = ${merchant_id} and b.livemode = ${livemode} and b.kind = 'payout'
           and b.msisdn = n.msisdn and b.active`
}

/** The designation of an entry. All fields are null when it is not designated. */
type Designation =
  | { designated_at: Date; serves_from: Date; has_cooled: boolean }
  | { designated_at: null; serves_from: null; has_cooled: null }

export type SettlementCandidate = BeneficiaryRow &
  Designation & {
    is_bank_account: boolean
    /** False: the merchant is not checked, and this is not the number that its owner proved. */
    is_allowed: boolean
  }

export type DesignatedDestination = Extract<Designation, { designated_at: Date }> &
  BeneficiaryRow & { is_bank_account: boolean }

/**
 * Reads the active entries among these, of either kind, with the moment from which each can be used. It is the database's time, rounded up
 * to a millisecond, because a `Date` has no finer unit.
 */
export async function readSettlementCandidates(
  tx: Tx,
  keys: readonly BeneficiaryKey[],
  cooling_hours: number,
): Promise<SettlementCandidate[]> {
  return tx<SettlementCandidate[]>`
    select ${candidateColumns(tx, cooling_hours)},
           coalesce(s.is_checked, true) or exists (
             select from destination_proposals p
              where ${sameRow(tx, 'p', 'b', keys, { beneficiary_id: 'id' })} and p.proof_session_id is not null) as is_allowed
      from ${matching(tx, 'beneficiaries b', keys, 'id')}
      left join merchant_modes s on ${sameRow(tx, 's', 'b', keys)}
     where b.active`
}

/**
 * Reads the designated destination for settlements, with only the end of its account. Null when none is designated.
 * @param cooling_hours for `serves_from` and `has_cooled`; absent: the caller does not need them
 */
export async function readDesignated(
  db: Db,
  { merchant_id, livemode }: Tenant,
  cooling_hours = 0,
): Promise<DesignatedDestination | null> {
  const [row] = await db<DesignatedDestination[]>`
    select ${candidateColumns(db, cooling_hours)}
      from beneficiaries b
     where b.merchant_id = ${merchant_id} and b.livemode = ${livemode} and b.designated_at is not null`
  return row ?? null
}

function candidateColumns(db: Db, cooling_hours: number) {
  return db`${db(columns.map((column) => `b.${column}`))}, b.iban is not null as is_bank_account, b.designated_at,
           date_trunc('milliseconds', b.designated_at + make_interval(hours => ${cooling_hours})
                                        + interval '999 microseconds') as serves_from,
           b.designated_at + make_interval(hours => ${cooling_hours}) <= clock_now() as has_cooled`
}

/** Reads one entry, archived or not. Null when it is not this caller's. */
export async function readBeneficiary(db: Db, key: BeneficiaryKey): Promise<BeneficiaryRow | null> {
  const [row] = await db<BeneficiaryRow[]>`
    select ${db(columns)}
      from beneficiaries
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.id}`
  return row ?? null
}

export type Page = Tenant & {
  /** True: only active entries; false: only archived ones; null: all. */
  active: boolean | null
  limit: number
  offset: number
  /** The entry after which the page begins. Null: the first page. */
  starting_after: string | null
}

export type PageOfEntries = {
  entries: BeneficiaryRow[]
  /** The number of entries in the whole list. */
  total_count: number
  /** False: the entry to start after does not exist. */
  start_known: boolean
}

/**
 * Reads a page of the book and its total in one snapshot, oldest first, and by id at the same time, so that new entries come at the end. The
 * entry to start after only marks a place: it may have been archived since.
 *
 * Active and archived entries are two ranges of one index, and the query reads each from the start of the page. The total is the stored size
 * of the book. So a page costs the same in a book of any size; only `offset` costs a read of what it skips.
 */
export async function readPage(db: Db, page: Page): Promise<PageOfEntries> {
  const { merchant_id, livemode, active, limit, offset, starting_after } = page
  const start =
    starting_after === null
      ? db`select '-infinity'::timestamptz as created_at, '00000000-0000-0000-0000-000000000000'::uuid as id`
      : db`select created_at, id
             from beneficiaries
            where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${starting_after}::uuid`
  const entries = (state: boolean) => db`
    (select ${db(columns)}
       from beneficiaries
      where merchant_id = ${merchant_id} and livemode = ${livemode} and active = ${state}
        and (created_at, id) > (start.created_at, start.id)
      order by created_at, id
      limit ${limit + offset})`
  const wanted = active === null ? db`${entries(true)} union all ${entries(false)}` : entries(active)
  const size = active === null ? db`active + archived` : active ? db`active` : db`archived`
  const rows = await db<(PageOfEntries & { [Field in keyof BeneficiaryRow]: BeneficiaryRow[Field] | null })[]>`
    with start as materialized (${start})
    select book.total_count, book.start_known, ${db(columns.map((column) => `page.${column}`))}
      from (select coalesce((select ${size}
                               from book_sizes
                              where merchant_id = ${merchant_id} and livemode = ${livemode}), 0) as total_count,
                   exists (select from start) as start_known) book
      left join (start cross join lateral (
             select ${db(columns)}
               from (${wanted}) wanted
              order by created_at, id
              limit ${limit}
             offset ${offset}) page) on true
     order by page.created_at, page.id`
  const { total_count, start_known } = rows[0]!
  const found = rows.filter((row): row is typeof row & BeneficiaryRow => row.id !== null)
  return { entries: found, total_count, start_known }
}

/**
 * Finds an entry of any merchant by its id alone, for the command line. Null when there is none. It looks the id up for each merchant and
 * mode, because an index for this rare query would cost writes on a table that grows with payouts.
 */
export async function findEntry(db: Db, id: string): Promise<BeneficiaryKey | null> {
  const [row] = await db<BeneficiaryKey[]>`
    select b.merchant_id, b.livemode, b.id
      from merchant_modes m
      join beneficiaries b on (b.merchant_id, b.livemode, b.id) = (m.merchant_id, m.livemode, ${id}::uuid)`
  return row ?? null
}

/** Locks an existing entry until the transaction ends, and reads its state. Entries are never deleted. */
export async function lockEntry(
  tx: Tx,
  { merchant_id, livemode, id }: BeneficiaryKey,
): Promise<{ active: boolean; designated_at: Date | null }> {
  const [row] = await tx<{ active: boolean; designated_at: Date | null }[]>`
    select active, designated_at
      from beneficiaries
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id}
       for no key update`
  return row!
}

/** Archives a locked, active entry, and removes its designation. */
export async function archiveEntry(
  tx: Tx,
  { merchant_id, livemode, id }: BeneficiaryKey,
  { archived_by, archived_at }: { archived_by: string; archived_at: Date },
): Promise<void> {
  await tx`
    update beneficiaries
       set active = false, archived_at = ${archived_at}, designated_at = null, archived_by = ${archived_by}
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id} and active`
}

/**
 * Locks the active settlement destinations until the transaction ends, so that the second of two simultaneous designations sees the
 * first.
 */
export async function lockDestinations(
  tx: Tx,
  { merchant_id, livemode }: Tenant,
): Promise<{ id: string; designated_at: Date | null }[]> {
  return tx<{ id: string; designated_at: Date | null }[]>`
    select id, designated_at
      from beneficiaries
     where merchant_id = ${merchant_id} and livemode = ${livemode} and kind = 'settlement' and active
     order by id
       for no key update`
}

/**
 * Removes the designation of all destinations, except of the one to be designated: the database allows one at a time.
 * @param id the exception; null: none
 */
export async function clearDesignations(
  tx: Tx,
  { merchant_id, livemode, id }: Tenant & { id: string | null },
): Promise<void> {
  await tx`
    update beneficiaries
       set designated_at = null
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id is distinct from ${id} and designated_at is not null`
}

/** Designates a locked, existing entry. Without a time it keeps the time of its designation, or takes the present. */
export async function designateEntry(
  tx: Tx,
  { merchant_id, livemode, id }: BeneficiaryKey,
  since: Date | null,
): Promise<Date> {
  const [row] = await tx<{ designated_at: Date }[]>`
    update beneficiaries
       set designated_at = coalesce(${since}::timestamptz, designated_at, (select clock_now()))
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id}
    returning designated_at`
  return row!.designated_at
}
