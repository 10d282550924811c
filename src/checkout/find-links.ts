import type { Sql } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { Addresses } from './addresses.ts'
import { viewLink } from './link.ts'
import { findLink, readLink, readLinks } from './link-store.ts'

/** Links shown by one list at most, the newest. */
const LIST_MAX = 200

type Dependencies = { sql: Sql; addresses: Addresses }

/** A merchant's newest links with their addresses. */
export async function listLinks({ sql, addresses }: Dependencies, tenant: Tenant) {
  const links = await readLinks(sql, tenant, LIST_MAX)
  return links.map((link) => ({ ...viewLink(link), url: addresses.linkUrl(link.id) }))
}

/** One link with its address, for the team; null when there is none. */
export async function showLink({ sql, addresses }: Dependencies, link_id: string) {
  const key = await findLink(sql, link_id)
  const link = key === null ? null : await readLink(sql, key)
  return link === null ? null : { ...viewLink(link), merchant_id: link.merchant_id, url: addresses.linkUrl(link.id) }
}
