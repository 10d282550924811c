import type { Db } from '../platform/postgres/database.ts'
import { readTransitions, type TransitionRead } from '../platform/postgres/record-transitions.ts'
import { type Page, pageOf } from '../values/page.ts'
import { type Settlement, type SettlementKey, type SettlementRow, viewSettlement } from './settlement.ts'
import * as store from './store.ts'

/** The number of settlements on a page. */
const PAGE = 50

export type SettlementsWanted = Omit<store.ListFilter, 'after' | 'limit'> & { after: string | null }

/** Lists a page for the desk. `after` names the last settlement of the previous page; if it is unreadable, the list starts at the beginning. */
export async function listSettlements(db: Db, { after, ...wanted }: SettlementsWanted): Promise<Page<SettlementRow>> {
  const rows = await store.readList(db, { ...wanted, after: cursorIn(after), limit: PAGE + 1 })
  return pageOf(rows, PAGE, ({ created_at, id }) => `${created_at.toISOString()}.${id}`)
}

/** Reads one settlement of a merchant with its moves, without the staff members who decided. Null when it is not this caller's. */
export async function readOwnSettlement(
  db: Db,
  key: SettlementKey,
): Promise<{ settlement: Settlement; made_by: string; moves: TransitionRead[] } | null> {
  const { settlement_id: id, ...tenant } = key
  const [row, moves] = await Promise.all([
    store.readSettlement(db, key),
    readTransitions(db, 'settlement_transitions_log', 'settlement_id', { ...tenant, id }),
  ])
  return row === null ? null : { settlement: viewSettlement(row), made_by: row.made_by, moves }
}

function cursorIn(after: string | null) {
  const [, at, id] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\.(stl_\w{1,60})$/.exec(after ?? '') ?? []
  const created_at = new Date(at ?? Number.NaN)
  return id === undefined || Number.isNaN(created_at.getTime()) ? null : { created_at, id }
}
