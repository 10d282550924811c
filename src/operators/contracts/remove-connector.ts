import { recordAct, WHOLE_SERVICE } from '../../audit-log/record-act.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import type { Actor } from '../../values/actor.ts'
import { hasOpenOrders } from '../store.ts'
import * as store from './connector-store.ts'
import { EVERYBODY, type RouteRow, readRoutesTo } from './route-store.ts'

export type ConnectorRemoved =
  | { kind: 'removed' }
  | { kind: 'refused'; code: 'resource_not_found' }
  | { kind: 'refused'; code: 'removed_before' }
  | { kind: 'refused'; code: 'open_orders' }
  | { kind: 'refused'; code: 'in_routes'; routes: RouteRow[] }

/**
 * Removes a contract from use. Its row and encrypted settings stay, for refunds of its collections and inquiries about its orders. Refusals in
 * this order: unknown, already removed, used by a route, an open order.
 * @param by the person who removes it, for the audit log
 */
export async function removeConnector(sql: Sql, name: string, by: Actor): Promise<ConnectorRemoved> {
  // Outside the transaction, because it reads the orders of all merchants. Inquiries about an order that begins meanwhile still work.
  const is_needed = await hasOpenOrders(sql, name)
  return sql.begin(async (tx): Promise<ConnectorRemoved> => {
    const row = await store.lockConnector(tx, name)
    if (row === null) return { kind: 'refused', code: 'resource_not_found' }
    if (row.removed_at !== null) return { kind: 'refused', code: 'removed_before' }
    const routes = await readRoutesTo(tx, name)
    if (routes.length > 0) return { kind: 'refused', code: 'in_routes', routes }
    if (is_needed) return { kind: 'refused', code: 'open_orders' }
    await store.markRemoved(tx, name, by.person)
    const { type, livemode, generation } = row
    const before = { type, generation }
    recordAct(
      tx,
      { merchant_id: WHOLE_SERVICE, livemode },
      { actor: by, act: 'connector.remove', subject: name, before },
    )
    return { kind: 'removed' }
  })
}

/** A route as text, for the message of a refusal. */
export function routeInWords({ merchant_id, livemode, operator, direction }: RouteRow): string {
  const whose = merchant_id === EVERYBODY ? '' : ` of merchant ${merchant_id}`
  return `${direction} ${operator} in ${livemode ? 'live' : 'test'} mode${whose}`
}
