import type { Tenant } from '../../values/caller.ts'
import type { IdPrefix } from '../../values/ids.ts'
import { type Page, type PageWanted, pageOf } from '../../values/page.ts'
import type { Db } from './database.ts'

/** Filters rows by tenant and by status; null: any. */
export type RowsWanted = { tenant: Tenant | null; status: string | null }

/** Rows that are looked at for a page, at most. A merchant that had none among so many is asked for again from there on. */
const LOOKED_AT_MAX = 20_000

/**
 * A page of a table whose key or index begins with an identifier of ours, the newest first. No index on the merchant is needed: as many
 * rows as the page takes are passed over, and at most 20 000. So a page may have few rows or none and yet be followed by another.
 * @param looked_at_max for tests
 */
export async function readNewestPage<Row extends { id: string }>(
  db: Db,
  { table, columns, prefix }: { table: string; columns: readonly string[]; prefix: IdPrefix },
  { tenant, status, limit, after }: RowsWanted & PageWanted,
  looked_at_max = LOOKED_AT_MAX,
): Promise<Page<Row>> {
  // Behind every identifier, in every order of letters.
  const before = after ?? `${prefix}_z`
  const ofTenant =
    tenant === null ? db`` : db`and merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}`
  const inState = status === null ? db`` : db`and status = ${status}`
  const rows = await db<Row[]>`
    select ${db(columns)}
      from (select ${db(columns)}
              from ${db(table)}
             where id < ${before}
             order by id desc
             limit ${looked_at_max}) newest
     where true ${ofTenant} ${inState}
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
