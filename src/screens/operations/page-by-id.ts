import { findKeyOf } from '../../api-keys/find-keys.ts'
import { findEntryOf } from '../../beneficiaries/book-store.ts'
import { readEntriesOf } from '../../ledger/store.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { type IdPrefix, looksLikeId } from '../../values/ids.ts'
import { consolePageById } from '../merchants/console-page.ts'

/** The pages with resources that have none of their own, by the prefix of their identifiers. */
const lists: readonly (readonly [IdPrefix, string])[] = [
  ['cap', '/caps'],
  ['per', '/team'],
  ['inv', '/team'],
  ['ses', '/account'],
]

/**
 * Finds the page of an identifier that names no operation, below the address of the merchant's console. Null when there is none. The page
 * itself refuses an unknown identifier, and a person without its right.
 */
export async function findOwnPage(db: Db, tenant: Tenant, id: string): Promise<string | null> {
  // A deposit, a move to the transfer balance and an adjustment are lines of the statement of their day.
  if ((['dep', 'mov', 'adj'] as const).some((prefix) => looksLikeId(prefix, id))) {
    const [entry] = await readEntriesOf(db, tenant, id)
    const day = entry?.created_at.toISOString().slice(0, 10)
    return day === undefined ? null : `/statement?from=${day}&to=${day}`
  }
  const list = lists.find(([prefix]) => looksLikeId(prefix, id))
  if (list !== undefined) return list[1]
  const page = consolePageById(id)?.page ?? null
  if (page !== null) return page
  if (/^[0-9a-z]{13}$/.test(id)) return (await findKeyOf(db, tenant, id)) === null ? null : '/keys'
  const entry = await findEntryOf(db, tenant, id)
  if (entry === null) return null
  return entry.is_destination ? '/destination' : `/beneficiaries/${id.toLowerCase()}`
}
