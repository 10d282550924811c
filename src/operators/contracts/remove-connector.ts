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
 * Takes a contract out of use. Its row and its sealed settings stay, so that what it has collected can be refunded and asked about through
 * it. Refused, in this order: there is none, it was removed before, a route leads to it, an order that it carries has not ended.
 * @param by who removes it, for the audit log
 */
export async function removeConnector(sql: Sql, name: string, by: Actor): Promise<ConnectorRemoved> {
  // Outside of the transaction, because it looks at orders of all merchants. One that begins meanwhile is asked about all the same.
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

/** A route in words, for the message of a refusal. */
export function routeInWords({ merchant_id, livemode, operator, direction }: RouteRow): string {
  const whose = merchant_id === EVERYBODY ? '' : ` of merchant ${merchant_id}`
  return `${direction} ${operator} in ${livemode ? 'live' : 'test'} mode${whose}`
}
