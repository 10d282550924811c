import { recordAct } from '../../audit-log/record-act.ts'
import type { Sql, Tx } from '../../platform/postgres/database.ts'
import type { Actor } from '../../values/actor.ts'
import type { Words } from '../../values/language.ts'
import { offers } from '../routing/registry.ts'
import * as store from './connector-store.ts'
import { openConnector, type Surroundings } from './open-connector.ts'
import { deleteRoute, lockRoute, putRoute, type RouteKey, type RouteRow } from './route-store.ts'

export type RouteToSet = Omit<RouteRow, 'changed_by' | 'changed_at'>

/** `problem`: the reason of the refusal, in one sentence. */
export type RouteSet = { kind: 'set' | 'taken_away' } | { kind: 'refused'; problem: Words }

/**
 * Sets the contracts for operations of one operator and direction, for all merchants or for one. In force within a second in every process;
 * orders that were sent keep their contract. Without connectors it removes the route.
 * @param by the person who sets it, for the audit log
 */
export async function setRoute(
  { sql, surroundings }: { sql: Sql; surroundings: Surroundings },
  route: RouteToSet,
  by: Actor,
): Promise<RouteSet> {
  return sql.begin(async (tx): Promise<RouteSet> => {
    // Locked until the commit, so that no connector is removed meanwhile.
    const held = await store.holdConnectors(tx, route.connectors)
    for (const name of route.connectors) {
      const row = held.find((one) => one.name === name)
      const problem =
        row === undefined
          ? ([`Il n’y a pas de connecteur ${name}.`, `There is no connector ${name}.`] as const)
          : await connectorProblem(tx, surroundings, row, route)
      if (problem !== null) return { kind: 'refused', problem }
    }
    const before = await lockRoute(tx, route)
    if (route.connectors.length === 0) {
      if (before === null)
        return { kind: 'refused', problem: ['Il n’y a pas de telle route.', 'There is no such route.'] }
      await deleteRoute(tx, route)
      record(tx, route, by, 'route.remove', before)
      return { kind: 'taken_away' }
    }
    await putRoute(tx, { ...route, changed_by: by.person })
    record(tx, route, by, 'route.set', before)
    return { kind: 'set' }
  })
}

async function connectorProblem(
  tx: Tx,
  surroundings: Surroundings,
  row: store.ConnectorRow,
  { livemode, operator, direction }: RouteKey,
): Promise<Words | null> {
  const { name } = row
  if (row.removed_at !== null)
    return [
      `Le connecteur ${name} a été retiré. Ses réglages, donnés de nouveau, le ramènent.`,
      `The connector ${name} was removed. connector set brings it back.`,
    ]
  if (row.livemode !== livemode)
    return [
      `Le connecteur ${name} est du mode ${row.livemode ? 'réel' : 'test'}.`,
      `The connector ${name} is of ${row.livemode ? 'live' : 'test'} mode.`,
    ]
  const [settings] = await store.readSettings(tx, name)
  const { connector } = openConnector(surroundings, row, settings!)
  const capabilities = connector.capabilitiesOf(operator)
  if (capabilities === null)
    return [`Le connecteur ${name} n’atteint pas ${operator}.`, `The connector ${name} does not reach ${operator}.`]
  return offers(capabilities, direction)
    ? null
    : [
        `Le connecteur ${name} n’offre pas ${direction} pour ${operator}.`,
        `The connector ${name} offers no ${direction} for ${operator}.`,
      ]
}

function record(tx: Tx, route: RouteToSet, by: Actor, act: 'route.set' | 'route.remove', old: RouteRow | null): void {
  const { merchant_id, livemode, operator, direction, connectors, amount_min, amount_max } = route
  const before =
    old === null ? null : { connectors: old.connectors, amount_min: old.amount_min, amount_max: old.amount_max }
  const after = act === 'route.remove' ? null : { connectors, amount_min, amount_max }
  recordAct(tx, { merchant_id, livemode }, { actor: by, act, subject: `${operator}/${direction}`, before, after })
}
