import { readMerchantName } from '../merchants/store.ts'
import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import type { Period } from '../values/period.ts'
import { type Movement, viewMovement } from './movement.ts'
import { readFigures } from './read-figures.ts'
import { PAGE_MAX } from './read-statement.ts'
import type { PeriodFigures } from './statement.ts'
import * as store from './store.ts'

/** A whole statement, for a file. */
export type StatementExport = {
  readonly tenant: Tenant
  readonly merchant_name: string
  readonly figures: PeriodFigures
  /** Yields all movements, oldest first, in pages of at most 500, so that memory stays bounded. Can be called again. */
  movements(): AsyncIterable<readonly Movement[]>
}

/**
 * Reads a merchant's whole statement over a period. The figures are read at once, in one snapshot; the movements are those of the same
 * moment, also when they are read later. Null when the merchant does not exist.
 */
export async function exportStatement(db: Db, tenant: Tenant, period: Period): Promise<StatementExport | null> {
  const merchant_name = await readMerchantName(db, tenant.merchant_id)
  const figures = merchant_name === null ? null : await readFigures(db, tenant, period)
  if (merchant_name === null || figures === null) return null
  async function* movements(): AsyncGenerator<Movement[]> {
    const { first_sequence, last_sequence } = figures!
    for (let first = first_sequence; first <= last_sequence; first += PAGE_MAX) {
      const last = Math.min(first + PAGE_MAX - 1, last_sequence)
      yield (await store.readMovements(db, tenant, { first, last })).map(viewMovement)
    }
  }
  return { tenant, merchant_name, figures, movements }
}
