import type { Db, Sql } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type Page, type PageWanted, pageOf } from '../values/page.ts'
import type { Addresses } from './addresses.ts'
import { viewLink } from './link.ts'
import {
  findLink,
  type LinkFilters,
  type PaidSession,
  readLink,
  readLinks,
  readLinksWithSums,
  readPaidSessionsOf,
} from './link-store.ts'

/** The most links in one list. */
const LIST_MAX = 200

type Dependencies = { sql: Sql; addresses: Addresses }

/** Lists a merchant's newest links with their addresses. */
export async function listLinks({ sql, addresses }: Dependencies, tenant: Tenant) {
  const links = await readLinks(sql, tenant, LIST_MAX)
  return links.map((link) => ({ ...viewLink(link), url: addresses.linkUrl(link.id) }))
}

/** Reads one link with its address, for staff. Null when there is none. */
export async function showLink({ sql, addresses }: Dependencies, link_id: string) {
  const key = await findLink(sql, link_id)
  const link = key === null ? null : await readLink(sql, key)
  return link === null ? null : { ...viewLink(link), merchant_id: link.merchant_id, url: addresses.linkUrl(link.id) }
}

export type ShownLink = ReturnType<typeof viewLink> & { url: string; paid_count: number; paid_amount: number }

/** Lists a page of a merchant's links that filters match, newest first, with their addresses and the sums that they brought. */
export async function showLinks(
  { sql, addresses }: { sql: Db; addresses: Addresses },
  tenant: Tenant,
  filters: LinkFilters,
  wanted: PageWanted,
): Promise<Page<ShownLink>> {
  const rows = await readLinksWithSums(sql, tenant, filters, { ...wanted, limit: wanted.limit + 1 })
  const page = pageOf(rows, wanted.limit, ({ id }) => id)
  const shown = page.rows.map((link) => {
    const { paid_count, paid_amount } = link
    return { ...viewLink(link), url: addresses.linkUrl(link.id), paid_count, paid_amount }
  })
  return { rows: shown, after: page.after }
}

/** Reads one link of a merchant, and a page of the sessions paid by it. Null when it is not this caller's. */
export async function showOwnLink(
  { sql, addresses }: Dependencies,
  tenant: Tenant,
  link_id: string,
  wanted: PageWanted,
): Promise<{ link: ReturnType<typeof viewLink> & { url: string }; paid: Page<PaidSession> } | null> {
  const key = { ...tenant, link_id }
  const [link, rows] = await Promise.all([
    readLink(sql, key),
    readPaidSessionsOf(sql, key, { ...wanted, limit: wanted.limit + 1 }),
  ])
  if (link === null) return null
  return {
    link: { ...viewLink(link), url: addresses.linkUrl(link.id) },
    paid: pageOf(rows, wanted.limit, ({ id }) => id),
  }
}
