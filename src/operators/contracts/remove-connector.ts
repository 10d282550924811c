import { defineAct, isWithin, refuse, row } from '../../acts/act.ts'
import { text } from '../../acts/facts.ts'
import { WHOLE_SERVICE } from '../../audit-log/record-act.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import * as store from './connector-store.ts'
import { EVERYBODY, type RouteRow, readRoutesTo } from './route-store.ts'

const markRemoved = defineEffect<{ readonly name: string; readonly by: string }>('connector', async (tx, removed) => {
  for (const { name, by } of removed) await store.markRemoved(tx, name, by)
})

/**
 * @property hasOpenOrders whether an order of the connector is open. It reads the orders of all merchants, and inquiries about an order that begins
 *   meanwhile still work
 */
export type RemovalDeps = { readonly hasOpenOrders: (name: string) => Promise<boolean> }

/**
 * Removes a contract from use. Its row and encrypted settings stay, for refunds of its collections and inquiries about its orders. Removing it
 * again changes nothing. Refusals in this order: a route uses it, an open order.
 */
export const removeConnector = defineAct({
  name: 'connector.remove',
  summary: 'Remove a connector from use; refused while a route uses it or one of its orders is open',
  title: ['Retirer ce connecteur', 'Remove this connector'],
  right: 'connectors.manage',
  fresh: true,
  on: row('any', 'connector', { option: 'name' }),
  fields: {},
  async load(tx, { id, within }, { hasOpenOrders }: RemovalDeps) {
    const is_needed = await hasOpenOrders(id)
    const connector = await store.lockConnector(tx, id)
    if (connector === null) return null
    const about = { merchant_id: WHOLE_SERVICE, livemode: connector.livemode }
    return isWithin(about, within) ? { about, connector, routes: await readRoutesTo(tx, id), is_needed } : null
  },
  facts: { connector: text(['Connecteur', 'Connector']), type: text(['Sorte', 'Type']) },
  content: ({ connector: { name: connector, type, generation } }) => ({ connector, type, generation }),
  note: () => [
    'Plus rien ne part par lui. Ses réglages restent scellés, pour les remboursements.',
    'Nothing goes through it any more. Its settings stay sealed, for refunds.',
  ],
  decide({ by }, { connector, routes, is_needed }) {
    const { name, type, generation, removed_at } = connector
    if (removed_at !== null) return { kind: 'unchanged', result: { name, removed: true } }
    const [route] = routes
    if (route !== undefined) return refuse('in_routes', { route: routeInWords(route) })
    if (is_needed) return refuse('open_orders')
    const effects = [markRemoved({ name, by: by.person })]
    return { kind: 'accepted', effects, result: { name, removed: true }, before: { type, generation } }
  },
  refusals: {
    in_routes: {
      words: ['Une route mène encore à lui : {route}.', 'A route still leads to it: {route}.'],
      command: 'A route uses {name}: {route}. Change it first with bandama route set.',
    },
    open_orders: {
      words: ['Un ordre qu’il porte n’est pas fini.', 'An order that it carries has not ended.'],
      command: 'An order that {name} carries has not ended yet. Route no new orders to it, and try again later.',
    },
  },
  unknown: 'There is no connector {name}. bandama connector list shows them.',
})

/** A route as text, for the message of a refusal. */
function routeInWords({ merchant_id, livemode, operator, direction }: RouteRow): string {
  const whose = merchant_id === EVERYBODY ? '' : ` of merchant ${merchant_id}`
  return `${direction} ${operator} in ${livemode ? 'live' : 'test'} mode${whose}`
}
