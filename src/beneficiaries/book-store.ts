import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { Msisdn } from '../values/msisdn.ts'
import type { OperatorCode } from '../values/operators.ts'
import { type BeneficiaryKey, type BeneficiaryRow, beneficiaryIdIn } from './beneficiary.ts'

// The payout book for people, newest entry first.

/** An entry with its whole number, which only the pages of the merchant's own people show, and the authors who added and archived it: `key:…`, a person, or null. */
export type BookRow = BeneficiaryRow & { msisdn: string; added_by: string | null; archived_by: string | null }

const columns = [
  ...['merchant_id', 'livemode', 'id', 'kind', 'label', 'name', 'operator', 'last4', 'active', 'created_at'],
  ...['archived_at', 'msisdn', 'added_by', 'archived_by'],
]

/** The most entries that a filtered page reads. A rare name in a large book takes several pages. */
const LOOKED_AT_MAX = 5_000

export type BookFilter = Tenant & {
  active: boolean
  /** Null: any. */
  operator: OperatorCode | null
  /** A part of the name or label in any letter case, a whole number, or its last four digits. Null: any. */
  text: string | Msisdn | null
}

/** A page of entries. `after` names the last entry that was read, which may not match. Null: the list ends. */
export type BookPage = { entries: BookRow[]; after: string | null }

/** Reads a page of the book. @param after the entry after which the page begins; if it is not in this book, the page is the first */
export async function readBookPage(
  db: Db,
  filter: BookFilter,
  { limit, after }: { limit: number; after: string | null },
): Promise<BookPage> {
  const { merchant_id, livemode, active, operator, text } = filter
  const start = after === null ? null : await readPlace(db, { merchant_id, livemode, id: after })
  const narrowed = operator !== null || text !== null
  const looked_at_max = narrowed ? LOOKED_AT_MAX : limit + 1
  const rows = await db<(BookRow & { found: boolean; looked_at: number; last_id: string | null })[]>`
    with looked as materialized (
      select ${db(columns)}
        from beneficiaries
       where merchant_id = ${merchant_id} and livemode = ${livemode} and active = ${active} and kind = 'payout'
         ${start === null ? db`` : db`and (created_at, id) < (${start.at}::text::timestamptz, ${start.id}::uuid)`}
       order by created_at desc, id desc
       limit ${looked_at_max}),
    found as (
      select ${db(columns)}
        from looked
       where ${operator === null ? db`true` : db`operator = ${operator}`} and ${matchesText(db, text)}
       order by created_at desc, id desc
       limit ${limit + 1})
    select f.id is not null as found, ${db(columns.map((column) => `f.${column}`))},
           (select count(*)::integer from looked) as looked_at,
           (select id from looked order by created_at, id limit 1) as last_id
      from (select) one
      left join found f on true
     order by f.created_at desc, f.id desc`
  const entries = rows.filter(({ found }) => found).map(({ found: _, looked_at: __, last_id: ___, ...entry }) => entry)
  const { looked_at, last_id } = rows[0]!
  if (entries.length > limit) return { entries: entries.slice(0, limit), after: entries[limit - 1]!.id }
  return { entries, after: narrowed && looked_at === LOOKED_AT_MAX ? last_id : null }
}

function matchesText(db: Db, text: string | Msisdn | null) {
  if (text === null) return db`true`
  if (typeof text !== 'string') return db`msisdn = ${text.e164}`
  if (/^\d{4}$/.test(text)) return db`last4 = ${text}`
  return db`strpos(lower(name || ' ' || coalesce(label, '')), lower(${text})) > 0`
}

/** Reads the place of an entry in the list. Its time is a text, because a `Date` would lose the microseconds. */
async function readPlace(db: Db, { merchant_id, livemode, id }: BeneficiaryKey) {
  const [row] = await db<{ at: string; id: string }[]>`
    select created_at::text as at, id
      from beneficiaries
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id}`
  return row ?? null
}

/** Reads one entry of the payout book, archived or not. Null when it is not this merchant's. */
export async function readBookEntry(db: Db, { merchant_id, livemode, id }: BeneficiaryKey): Promise<BookRow | null> {
  const [row] = await db<BookRow[]>`
    select ${db(columns)}
      from beneficiaries
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id} and kind = 'payout'`
  return row ?? null
}

/** An entry of the book, or a settlement destination. */
export type EntrySomewhere = Tenant & { readonly is_destination: boolean }

/** Finds the merchant of an entry, for the staff. It looks each merchant up in turn. @param id a UUID */
export async function findEntryAnywhere(db: Db, id: string): Promise<EntrySomewhere | null> {
  const [row] = await db<EntrySomewhere[]>`
    select f.merchant_id, f.livemode, f.is_destination
      from merchant_names m
     cross join lateral (
       select b.merchant_id, b.livemode, b.kind = 'settlement' as is_destination
         from beneficiaries b
        where b.merchant_id = m.merchant_id and b.livemode = any('{true,false}') and b.id = ${id}
        limit 1) f
     limit 1`
  return row ?? null
}

/** Finds an entry of a merchant's book, or its settlement destination. Null when there is none, or the id is no UUID. */
export async function findEntryOf(db: Db, tenant: Tenant, id: string): Promise<EntrySomewhere | null> {
  const known = beneficiaryIdIn(id)
  if (known === null) return null
  const [row] = await db<EntrySomewhere[]>`
    select merchant_id, livemode, kind = 'settlement' as is_destination
      from beneficiaries
     where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode} and id = ${known}`
  return row ?? null
}
