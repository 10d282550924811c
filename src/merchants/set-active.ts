import { recordAct } from '../audit-log/record-act.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../values/actor.ts'
import * as store from './store.ts'

export type ActiveSet = { kind: 'changed' } | { kind: 'refused'; code: 'resource_not_found' }

/**
 * Lets a merchant operate, or only read. It takes effect within a second everywhere.
 * @param by who decides it, for the audit log
 */
export async function setActive(
  sql: Sql,
  merchant_id: number,
  active: boolean,
  by: Actor = SYSTEM,
): Promise<ActiveSet> {
  return sql.begin(async (tx): Promise<ActiveSet> => {
    const before = await store.lockMerchant(tx, merchant_id)
    if (before === null) return { kind: 'refused', code: 'resource_not_found' }
    if (before.active === active) return { kind: 'changed' }
    await store.updateActive(tx, merchant_id, active)
    const act = active ? 'merchant.activate' : 'merchant.deactivate'
    recordAct(tx, { merchant_id, livemode: null }, { actor: by, act, before, after: { active } })
    return { kind: 'changed' }
  })
}
