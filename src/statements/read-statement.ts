import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { Period } from '../values/period.ts'
import { viewMovement } from './movement.ts'
import { readFigures } from './read-figures.ts'
import { type Statement, viewStatement } from './statement.ts'
import * as store from './store.ts'

/** The number of movements on a page: by default, and at most. */
export const PAGE_DEFAULT = 100
export const PAGE_MAX = 500

/**
 * Reads one page of a merchant's statement over a period. Every page has the figures of the whole period, read in one snapshot that also
 * contains all movements. Movements never change.
 * @param limit 1 to PAGE_MAX @param offset the number of movements to skip
 * @returns null when the merchant does not exist
 */
export async function readStatement(
  db: Db,
  tenant: Tenant,
  period: Period,
  { limit, offset }: { limit: number; offset: number },
): Promise<Statement | null> {
  const figures = await readFigures(db, tenant, period)
  if (figures === null) return null
  const first = figures.first_sequence + offset
  const last = Math.min(first + limit - 1, figures.last_sequence)
  const rows = first > last ? [] : await store.readMovements(db, tenant, { first, last })
  return viewStatement(figures, { livemode: tenant.livemode, limit, offset, data: rows.map(viewMovement) })
}
