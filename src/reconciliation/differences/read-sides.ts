import { findOrders } from '../../operators/statement-orders.ts'
import type { Db } from '../../platform/postgres/database.ts'
import { readLinesByName } from '../../statement-files/import/line-store.ts'
import type { DifferenceRow, Sides } from './difference.ts'

/** Reads both sides of differences of one mode. */
export async function readSides(db: Db, rows: readonly DifferenceRow[]): Promise<Map<string, Sides>> {
  const names = rows.flatMap(({ line_id, line_month }) =>
    line_id === null ? [] : [{ id: line_id, month: line_month! }],
  )
  const subjects = [...new Set(rows.flatMap(({ subject_id }) => subject_id ?? []))]
  const lines = new Map((await readLinesByName(db, names)).map((line) => [line.id, line]))
  const orders = await findOrders(db, rows[0]?.livemode ?? true, { subjects })
  const bySubject = new Map(orders.map((order) => [order.subject_id, order]))
  return new Map(
    rows.map(({ id, line_id, subject_id }) => {
      const ours = bySubject.get(subject_id ?? '') ?? null
      return [id, { ours, theirs: lines.get(line_id ?? '') ?? null, suggestions: [] }]
    }),
  )
}
