import { recordAct } from '../audit-log/record-act.ts'
import { lockMerchant } from '../merchants/store.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../values/actor.ts'
import type { Tenant } from '../values/caller.ts'
import * as store from './store.ts'

export type FloorSet = { kind: 'set'; minimum: number } | { kind: 'refused'; code: 'resource_not_found' }

/**
 * Sets a merchant's own smallest settlement in one mode, in francs. It applies from the next request on.
 * @param by the author, for the audit log
 */
export async function setFloor(sql: Sql, tenant: Tenant, minimum: number, by: Actor = SYSTEM): Promise<FloorSet> {
  return sql.begin(async (tx): Promise<FloorSet> => {
    if ((await lockMerchant(tx, tenant.merchant_id)) === null) return { kind: 'refused', code: 'resource_not_found' }
    const [before = { minimum: null }] = await store.readFloors(tx, [tenant])
    await store.writeFloor(tx, tenant, minimum)
    recordAct(tx, tenant, { actor: by, act: 'floor.set', before: { minimum: before.minimum }, after: { minimum } })
    return { kind: 'set', minimum }
  })
}
