import type { Db } from '../platform/postgres/database.ts'
import { readTransitions, type TransitionRead } from '../platform/postgres/record-transitions.ts'
import { type Page, pageOf } from '../values/page.ts'
import { type Settlement, type SettlementKey, type SettlementRow, viewSettlement } from './settlement.ts'
import * as store from './store.ts'

/** Settlements of a page. */
const PAGE = 50

export type SettlementsWanted = Omit<store.ListFilter, 'after' | 'limit'> & { after: string | null }

/** A page of the desk's list. `after` names the last one shown; one that cannot be read is the beginning. */
export async function listSettlements(db: Db, { after, ...wanted }: SettlementsWanted): Promise<Page<SettlementRow>> {
  const rows = await store.readList(db, { ...wanted, after: cursorIn(after), limit: PAGE + 1 })
  return pageOf(rows, PAGE, ({ created_at, id }) => `${created_at.toISOString()}.${id}`)
}

/** One settlement of a merchant with its moves; null when it is not this caller's. The people of the team who decided stay unnamed. */
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
