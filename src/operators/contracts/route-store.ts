import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { Order } from '../port.ts'

// Routes: the connectors that operations use, in order.

/** The `merchant_id` of the routes for all merchants without their own. */
export const EVERYBODY = 0

/** The key of a route. */
export type RouteKey = {
  /** `EVERYBODY` for all merchants without a route of their own. */
  merchant_id: number
  livemode: boolean
  operator: string
  direction: Order['direction']
}

export type RouteRow = RouteKey & {
  /** The connectors' names, in the order in which the service tries them. */
  connectors: string[]
  /** Bounds narrower than the operator's own, in francs. Null: the operator's bound. */
  amount_min: number | null
  amount_max: number | null
  changed_by: string
  changed_at: Date
}

const columns = [
  ...['merchant_id', 'livemode', 'operator', 'direction', 'connectors'],
  ...['amount_min', 'amount_max', 'changed_by', 'changed_at'],
]

/** The routes of one mode or both: those for all merchants first. */
export function readRoutes(db: Db, livemode: boolean | null = null): Promise<RouteRow[]> {
  return db<RouteRow[]>`
    select ${db(columns)}
      from routes
     where ${livemode === null ? db`true` : db`livemode = ${livemode}`}
     order by livemode, merchant_id, operator, direction`
}

/** Reads a route and locks it for the rest of the transaction. Null if there is none. */
export async function lockRoute(tx: Tx, key: RouteKey): Promise<RouteRow | null> {
  const [row] = await tx<RouteRow[]>`
    select ${tx(columns)}
      from routes
     where ${isRoute(tx, key)}
       for update`
  return row ?? null
}

export async function putRoute(tx: Tx, route: Omit<RouteRow, 'changed_at'>): Promise<void> {
  const { merchant_id, livemode, operator, direction, connectors, amount_min, amount_max, changed_by } = route
  await tx`
    insert into routes (merchant_id, livemode, operator, direction, connectors, amount_min, amount_max, changed_by)
    values (${merchant_id}, ${livemode}, ${operator}, ${direction}, ${connectors}::text[], ${amount_min}, ${amount_max},
            ${changed_by})
    on conflict (merchant_id, livemode, operator, direction)
    do update set connectors = excluded.connectors, amount_min = excluded.amount_min, amount_max = excluded.amount_max,
                  changed_by = excluded.changed_by, changed_at = excluded.changed_at`
}

export async function deleteRoute(tx: Tx, key: RouteKey): Promise<void> {
  await tx`delete from routes where ${isRoute(tx, key)}`
}

/** The routes that use a connector. */
export function readRoutesTo(db: Db, connector: string): Promise<RouteRow[]> {
  return db<RouteRow[]>`
    select ${db(columns)}
      from routes
     where ${connector} = any(connectors)
     order by livemode, merchant_id, operator, direction`
}

function isRoute(db: Db, { merchant_id, livemode, operator, direction }: RouteKey) {
  return db`merchant_id = ${merchant_id} and livemode = ${livemode} and operator = ${operator} and direction = ${direction}`
}
