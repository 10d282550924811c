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

/** Where money goes: one of the two is null. */
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
 * Adds entries to the book, under ids of the caller's; fails on a destination that has an active one. Does not
 * wait for what it sends. Rows are written in one order, so that two transactions that share numbers never wait in a circle; and in one
 * statement, because its trigger then locks the sizes of the books, which come after all entries.
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

/** The active entry of a destination in a merchant's book; null: there is none. */
export async function readActive(
  tx: Tx,
  { merchant_id, livemode, kind, msisdn, iban }: NewEntry,
): Promise<BeneficiaryRow | null> {
  const [row] = await tx<BeneficiaryRow[]>`
    select ${tx(columns)}
      from beneficiaries
     where merchant_id = ${merchant_id} and livemode = ${livemode} and kind = ${kind} and active
       and ${msisdn === null ? tx`iban = ${iban}` : tx`msisdn = ${msisdn}`}`
  return row ?? null
}

export type PayoutDestination = BeneficiaryRow & { msisdn: string }

/**
 * The active entries of the payout book with these numbers: at most one each, looked up one by one. A join would be planned for the
 * empty table of a new service, and read all of it until PostgreSQL has its first statistics.
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

/** The active entries of the payout book among these; an absent one is not the merchant's, archived, or of another kind. */
export async function readActivePayout(tx: Tx, keys: readonly BeneficiaryKey[]): Promise<PayoutDestination[]> {
  return tx<PayoutDestination[]>`
    select ${tx(columns.map((column) => `b.${column}`))}, b.msisdn
      from ${matching(tx, 'beneficiaries b', keys, 'id')}
     where b.kind = 'payout' and b.active`
}

/** Of a number in the payout book: whether it has an active entry, the label of that one, and how many of its entries are archived. */
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

/** Null where it is not designated. */
type Designation =
  | { designated_at: Date; serves_from: Date; has_cooled: boolean }
  | { designated_at: null; serves_from: null; has_cooled: null }

export type SettlementCandidate = BeneficiaryRow & Designation & { is_bank_account: boolean }

export type DesignatedDestination = Extract<Designation, { designated_at: Date }> &
  BeneficiaryRow & { is_bank_account: boolean }

/**
 * The active entries among these, of either kind, with the moment from which each serves by the database's time: a whole millisecond,
 * as we have no finer ones, and not an earlier one.
 */
export async function readSettlementCandidates(
  tx: Tx,
  keys: readonly BeneficiaryKey[],
  cooling_hours: number,
): Promise<SettlementCandidate[]> {
  return tx<SettlementCandidate[]>`
    select ${candidateColumns(tx, cooling_hours)}
      from ${matching(tx, 'beneficiaries b', keys, 'id')}
     where b.active`
}

/**
 * The one destination that settlements go to, with only the end of its account; null: none is designated.
 * @param cooling_hours for `serves_from` and `has_cooled`; absent: the caller asks only where
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

/** One entry, archived or not; null when it is not this caller's. */
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
  /** The entry after which the page begins; null: at the beginning. */
  starting_after: string | null
}

export type PageOfEntries = {
  entries: BeneficiaryRow[]
  /** Entries of the whole list, not only of the page. */
  total_count: number
  /** False: there is no entry to start after. */
  start_known: boolean
}

/**
 * A page of the book and its total, of one moment. Oldest first, and by id where the time is the same, so that what is
 * added meanwhile comes at the end. The entry to start after gives only a place: it may have been archived since.
 *
 * Active and archived entries are two runs of one index, and each is read from the place where the page begins. The total is the
 * size that the book keeps. A book of a million entries costs a page no more than one of a hundred; only `offset` costs what it skips.
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
 * The entry with this id, of any merchant: the command line is given an id alone, and ids are random. Asks each merchant's key in
 * each mode rather than have an index for the rarest question on a table that grows with payouts. Null: there is none.
 */
export async function findEntry(db: Db, id: string): Promise<BeneficiaryKey | null> {
  const [row] = await db<BeneficiaryKey[]>`
    select b.merchant_id, b.livemode, b.id
      from merchant_modes m
      join beneficiaries b on (b.merchant_id, b.livemode, b.id) = (m.merchant_id, m.livemode, ${id}::uuid)`
  return row ?? null
}

/** How an entry stands, locked for the rest of the transaction: no entry is ever deleted. */
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

/** Archives an entry. A designated destination is one no longer. The first time and person are kept when it is archived again. */
export async function archiveEntry(
  tx: Tx,
  { merchant_id, livemode, id }: BeneficiaryKey,
  archived_by: string,
): Promise<BeneficiaryRow> {
  const [row] = await tx<BeneficiaryRow[]>`
    update beneficiaries
       set active = false, archived_at = coalesce(archived_at, (select clock_now())), designated_at = null,
           archived_by = case when active then ${archived_by} else archived_by end
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id}
    returning ${tx(columns)}`
  return row!
}

/**
 * The active settlement destinations, locked until the end of the transaction, so that of two who designate at once the
 * second sees what the first did.
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
 * Takes the designation from all destinations, but from the one that is to get it: the database allows one at a time.
 * @param id null: from all
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

/** Without a time the present is taken, unless it is designated already. The entry is locked and known to be there. */
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

/** How the destination stands in the book today: the one that settlements go to, another one, or archived. */
export type DestinationToday = 'designated' | 'no_longer_designated' | 'archived'

/** The whole account of a destination, for the person who makes a transfer to it, and how it stands today. */
export async function readDestination(
  db: Db,
  { merchant_id, livemode, id }: BeneficiaryKey,
): Promise<{ account: string; destination_today: DestinationToday }> {
  const [row] = await db<{ account: string; destination_today: DestinationToday }[]>`
    select coalesce(iban, msisdn) as account,
           case when not active then 'archived'
                when designated_at is null then 'no_longer_designated'
                else 'designated' end as destination_today
      from beneficiaries
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id}`
  return row!
}

/** The whole accounts of destinations, by their ids, for the file that the bank gets. */
export async function readAccounts(db: Db, keys: readonly BeneficiaryKey[]): Promise<[id: string, account: string][]> {
  if (keys.length === 0) return []
  const rows = await db<{ id: string; account: string }[]>`
    select b.id, coalesce(b.iban, b.msisdn) as account
      from ${matching(db, 'beneficiaries b', keys, 'id')}`
  return rows.map(({ id, account }) => [id, account])
}
