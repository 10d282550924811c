import type { Db } from '../platform/postgres/database.ts'
import { comparableReference } from '../values/comparable.ts'
import { Msisdn } from '../values/msisdn.ts'
import { type FoundRow, shown, soughtIn, unlistedFrom, wantedPart } from './find-store.ts'
import { isListed, type ListedKind, type OperationFilters, type OperationKind } from './listed-operation.ts'
import { views } from './store.ts'

// Operations of all merchants. The indexes begin with the merchant, so a statement looks each merchant up in turn, and no payment pays for
// another index. Each statement reads a limited number of rows.

/** All merchants in one mode, or one of them. */
export type Everywhere = { readonly livemode: boolean; readonly merchant_id: number | null }

export type FoundSomewhere = FoundRow & { merchant_id: number }

export type FoundEverywhere = {
  /** The newest operations that match. */
  readonly rows: readonly FoundSomewhere[]
  /** Whether more operations match, or may match. */
  readonly is_cut: boolean
  /** Whether older operations were not read. */
  readonly is_recent: boolean
}

/** The most listed operations of one merchant, and of all, that are compared one by one with what the index does not hold. */
const OF_MERCHANT_MAX = 200
const COMPARED_MAX = 2_000
/** The most operations, the newest, that are read one by one: those that the worker has not listed yet, and those of the smaller tables. */
const READ_MAX = 10_000

/** Finds the newest operations of a kind that match, at most `limit`. */
export async function readEverywhere(
  db: Db,
  where: Everywhere,
  filters: OperationFilters,
  limit: number,
): Promise<FoundEverywhere> {
  const { kind, reference } = filters
  if (!isListed(kind)) return readOfSmallTable(db, where, filters, limit)
  // The unique index on the references of payments has them at once, listed or not.
  if (kind === 'payment' && reference !== null) return readOfReference(db, where, filters, limit)
  const { ids, ...candidates } = await readCandidates(db, where, { ...filters, kind }, limit)
  if (ids.length === 0) return { rows: [], ...candidates }
  const { matches } = wantedPart(db, filters, { limit, after: null })
  const rows = await db<FoundSomewhere[]>`
    select s.merchant_id, ${shown(db)}
      from ${db(views[kind])} s
     where s.livemode = ${where.livemode} and s.id = any(${ids})
       and ${matches}
     order by s.id desc
     limit ${limit + 1}`
  return { ...candidates, rows: rows.slice(0, limit), is_cut: candidates.is_cut || rows.length > limit }
}

/**
 * Reads the ids of listed operations that may match, the newest of each merchant by one index, and of all that match among the newest
 * that are not listed yet. The list does not hold a whole number or the moment of creation, so more candidates than the limit are read for these.
 */
async function readCandidates(
  db: Db,
  { livemode, merchant_id }: Everywhere,
  filters: OperationFilters & { kind: ListedKind },
  limit: number,
): Promise<Omit<FoundEverywhere, 'rows'> & { ids: string[] }> {
  const isCompared = filters.number instanceof Msisdn || filters.created_from !== null
  const most = isCompared ? COMPARED_MAX : limit
  const most_of_one = merchant_id === null && isCompared ? OF_MERCHANT_MAX : most
  const { within, matches } = wantedPart(db, filters, { limit, after: null })
  const rows = await db<{ id: string | null; merchant_id: number; is_listed: boolean }[]>`
    with listed as materialized (
      select f.id, f.merchant_id
        from merchant_names m
       cross join lateral (
         select l.id, l.merchant_id
           from listed_operations l
          where l.merchant_id = m.merchant_id and l.livemode = ${livemode} and l.kind = ${filters.kind}
            and ${within('l.id')}
            ${soughtIn(db, filters)}
          order by l.id desc
          limit ${most_of_one + 1}) f
       where ${merchant_id === null ? db`true` : db`m.merchant_id = ${merchant_id}`}
       order by f.id desc
       limit ${most + 1}),
    unlisted as materialized (
      select s.merchant_id, s.compared_reference, ${shown(db)}
        from ${db(views[filters.kind])} s
       where s.livemode = ${livemode}
         ${merchant_id === null ? db`` : db`and s.merchant_id = ${merchant_id}`}
         ${unlistedFrom(db, filters.kind)}
         and ${within('s.id')}
       order by s.id desc
       limit ${READ_MAX})
    select id, merchant_id, true as is_listed
      from listed
     union all
    (select s.id, s.merchant_id, false as is_listed
       from unlisted s
      where ${matches}
      order by s.id desc
      limit ${limit + 1})
     union all
    select null, 0, false
     where (select count(*) from unlisted) = ${READ_MAX}`
  const listed = rows.filter(({ is_listed }) => is_listed)
  const ofMerchant = Map.groupBy(listed, (row) => row.merchant_id)
  const ids = new Set(rows.map(({ id }) => id))
  return {
    ids: [...ids].filter((id) => id !== null),
    is_cut: listed.length > most || [...ofMerchant.values()].some(({ length }) => length > most_of_one),
    is_recent: ids.has(null),
  }
}

/** Returns the payments with a reference, at most one of each merchant. `offset 0` keeps the planner from reading in the order of the ids. */
async function readOfReference(
  db: Db,
  { livemode, merchant_id }: Everywhere,
  filters: OperationFilters,
  limit: number,
): Promise<FoundEverywhere> {
  const { within, matches } = wantedPart(db, filters, { limit, after: null })
  const rows = await db<FoundSomewhere[]>`
    select s.merchant_id, ${shown(db)}
      from (select s.merchant_id, s.compared_reference, ${shown(db)}
              from merchant_names m
              join ${db(views[filters.kind])} s
                on s.merchant_id = m.merchant_id and s.livemode = ${livemode}
                 and s.compared_reference = ${comparableReference(filters.reference ?? '')}
             where ${merchant_id === null ? db`true` : db`m.merchant_id = ${merchant_id}`}
            offset 0) s
     where ${within('s.id')} and ${matches}
     order by s.id desc
     limit ${limit + 1}`
  return { rows: rows.slice(0, limit), is_cut: rows.length > limit, is_recent: false }
}

/** Reads the newest rows of a table that has few, and an index on the ids of all merchants. */
async function readOfSmallTable(
  db: Db,
  { livemode, merchant_id }: Everywhere,
  filters: OperationFilters,
  limit: number,
): Promise<FoundEverywhere> {
  const { within, matches } = wantedPart(db, filters, { limit, after: null })
  // Without a merchant the index has both modes.
  const newest = db`
    from ${db(views[filters.kind])} s
   where ${within('s.id')}
     ${merchant_id === null ? db`` : db`and s.merchant_id = ${merchant_id} and s.livemode = ${livemode}`}
   order by s.id desc`
  const [rows, [past]] = await Promise.all([
    db<FoundSomewhere[]>`
      select s.merchant_id, ${shown(db)}
        from (select s.merchant_id, s.livemode, s.compared_reference, ${shown(db)}
                ${newest}
               limit ${READ_MAX}) s
       where s.livemode = ${livemode}
         and ${matches}
       order by s.id desc
       limit ${limit + 1}`,
    db<{ id: string }[]>`
      select s.id
        ${newest}
      offset ${READ_MAX}
       limit 1`,
  ])
  return { rows: rows.slice(0, limit), is_cut: rows.length > limit, is_recent: past !== undefined }
}

/** Reads one operation of this kind, of any merchant. Empty when there is none in this place. */
export function readAnywhere(
  db: Db,
  { livemode, merchant_id }: Everywhere,
  kind: OperationKind,
  id: string,
): Promise<FoundSomewhere[]> {
  return db<FoundSomewhere[]>`
    select s.merchant_id, ${shown(db)}
      from ${db(views[kind])} s
     where s.livemode = ${livemode} and s.id = ${id}
       ${merchant_id === null ? db`` : db`and s.merchant_id = ${merchant_id}`}`
}

/** Finds the ids of operations of any merchant with this operator's reference, at most `limit`. */
export async function readQuotedAnywhere(
  db: Db,
  { livemode, merchant_id }: Everywhere,
  reference: string,
  limit: number,
): Promise<string[]> {
  const rows = await db<{ subject_id: string }[]>`
    select distinct subject_id
      from quoted_references
     where reference = ${reference} and livemode = ${livemode}
       ${merchant_id === null ? db`` : db`and merchant_id = ${merchant_id}`}
     limit ${limit}`
  return rows.map(({ subject_id }) => subject_id)
}
