import { readMerchantName } from '../merchants/store.ts'
import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { type Movement, viewMovement } from './movement.ts'
import type { Period } from './period.ts'
import { readFigures } from './read-figures.ts'
import { PAGE_MAX } from './read-statement.ts'
import type { PeriodFigures } from './statement.ts'
import * as store from './store.ts'

/** A whole statement on its way out of the service: into a file, onto paper. */
export type StatementExport = {
  readonly tenant: Tenant
  readonly merchant_name: string
  readonly figures: PeriodFigures
  /** All movements, oldest first, in pages of 500 at most: however many there are, few are held. Can be read again. */
  movements(): AsyncIterable<readonly Movement[]>
}

/**
 * A merchant's whole statement over a period. Its figures are read now and of one moment; the movements are those that
 * were there at that moment, whenever they are read. Null when there is no such merchant.
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
