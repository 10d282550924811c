import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { viewMovement } from './movement.ts'
import type { Period } from './period.ts'
import { readFigures } from './read-figures.ts'
import { type Statement, viewStatement } from './statement.ts'
import * as store from './store.ts'

/** Movements of one page, when the caller does not say and at most. */
export const PAGE_DEFAULT = 100
export const PAGE_MAX = 500

/**
 * One page of a merchant's statement over a period. The figures are those of the whole period, whatever the page, and of
 * one moment: the movements were all there at that moment, and never change.
 * @param limit 1 to PAGE_MAX @param offset movements to pass over
 * @returns null when there is no such merchant
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
