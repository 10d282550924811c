import type { Tenant } from '../../values/caller.ts'
import type { IdPrefix } from '../../values/ids.ts'
import { type Page, type PageWanted, pageOf } from '../../values/page.ts'
import type { Db, Statement } from './database.ts'

/** Filters rows by tenant and by status; null: any. */
export type RowsWanted = { tenant: Tenant | null; status: string | null }

/** The most rows to search for one page. If they contain no match, the next page continues after them. */
const LOOKED_AT_MAX = 20_000

/**
 * Reads a page of a table whose key or index begins with one of our identifiers, newest first. It needs no index on the merchant: it searches
 * the rows one after the other, at most 20 000. So a page can have few rows or none although another page follows.
 * @param looked_at_max the most rows to search; tests lower it
 */
export async function readNewestPage<Row extends { id: string }>(
  db: Db,
  { table, columns, prefix }: { table: string; columns: readonly string[]; prefix: IdPrefix },
  { tenant, status, limit, after }: RowsWanted & PageWanted,
  looked_at_max = LOOKED_AT_MAX,
): Promise<Page<Row>> {
  // After every identifier, in every collation.
  const before = after ?? `${prefix}_z`
  const inState = status === null ? db`` : db`and status = ${status}`
  const rows = await db<Row[]>`
    select ${db(columns)}
      from (select ${db(columns)}
              from ${db(table)}
             where id < ${before}
             order by id desc
             limit ${looked_at_max}) newest
     where true ${ofTenant(db, tenant)} ${inState}
     order by id desc
     limit ${limit + 1}`
  if (rows.length > limit || (tenant === null && status === null)) return pageOf(rows, limit, ({ id }) => id)
  const [last] = await db<{ id: string }[]>`
    select id
      from ${db(table)}
     where id < ${before}
     order by id desc
    offset ${looked_at_max - 1}
     limit 1`
  return { rows, after: last?.id ?? null }
}

/**
 * Reads a page of the rows that wait, oldest first. A partial index of the table has only these.
 * @param waiting the condition of that index
 */
export async function readWaitingPage<Row extends { id: string }>(
  db: Db,
  { table, columns, waiting }: { table: string; columns: readonly string[]; waiting: Statement<object[]> },
  { tenant, limit, after }: Pick<RowsWanted, 'tenant'> & PageWanted,
): Promise<Page<Row>> {
  const rows = await db<Row[]>`
    select ${db(columns)}
      from ${db(table)}
     where ${waiting} and id > ${after ?? ''} ${ofTenant(db, tenant)}
     order by id
     limit ${limit + 1}`
  return pageOf(rows, limit, ({ id }) => id)
}

function ofTenant(db: Db, tenant: Tenant | null): Statement<object[]> {
  return tenant === null ? db`` : db`and merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}`
}
