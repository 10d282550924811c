import assert from 'node:assert/strict'
import type { ActRefused } from '../../src/acts/act.ts'
import type { ConnectorToSet } from '../../src/operators/contracts/judge-setting.ts'
import type { Surroundings } from '../../src/operators/contracts/open-connector.ts'
import * as removing from '../../src/operators/contracts/remove-connector.ts'
import * as connecting from '../../src/operators/contracts/set-connector.ts'
import * as routing from '../../src/operators/contracts/set-route.ts'
import { acceptBalance as accepting } from '../../src/operators/float/accept-balance.ts'
import type { BalanceKey } from '../../src/operators/float/float-store.ts'
import { hasOpenOrders } from '../../src/operators/store.ts'
import { createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { Actor } from '../../src/values/actor.ts'
import type { Words } from '../../src/values/language.ts'
import { perform } from './perform.ts'

// Connectors and routes as a command on the host sets them.

const clock = createClock()

type Deps = { sql: Sql; surroundings: Surroundings }
type Refused = { kind: 'refused'; problem: Words }

/** The refusal with the words of its problem. */
function problemOf({ code, fillings }: ActRefused): Refused {
  return { kind: 'refused', problem: (fillings?.problem as Words | undefined) ?? [code, code] }
}

/** Sets a connector: its settings as a file has them. */
export async function setConnector(
  { sql, surroundings }: Deps,
  { name, type, livemode, settings }: ConnectorToSet,
  by: Actor,
): Promise<{ kind: 'set'; created: boolean; generation: number; warning: Words | null } | Refused> {
  const values = { name, type, mode: livemode ? 'live' : 'test' }
  const done = await perform(
    connecting.setConnector,
    { sql, clock, surroundings, settings, digest: null },
    { values },
    by,
  )
  if (done.kind === 'refused') return problemOf(done)
  assert.ok(done.kind === 'done' && 'created' in done.result)
  const { created, generation, warning } = done.result
  return { kind: 'set', created, generation, warning }
}

/** Sets a route, or takes it away without connectors. */
export async function setRoute(
  { sql, surroundings }: Deps,
  { merchant_id, livemode, connectors: through, amount_min: min, amount_max: max, ...route }: routing.RouteToSet,
  by: Actor,
): Promise<{ kind: 'set' | 'taken_away' } | Refused> {
  const merchant = merchant_id === 0 ? null : merchant_id
  const values = { ...route, mode: livemode ? 'live' : 'test', merchant, through, min, max }
  const done = await perform(routing.setRoute, { sql, clock, surroundings }, { values }, by)
  if (done.kind === 'refused')
    return done.code === 'no_route'
      ? { kind: 'refused', problem: ['Il n’y a pas de telle route.', 'There is no such route.'] }
      : problemOf(done)
  assert.ok(done.kind === 'done' && 'removed' in done.result)
  return { kind: done.result.removed ? 'taken_away' : 'set' }
}

/** Removes a connector from use. */
export async function removeConnector(sql: Sql, name: string, by: Actor): Promise<{ kind: 'removed' } | ActRefused> {
  const deps = { sql, clock, hasOpenOrders: (of: string) => hasOpenOrders(sql, of) }
  const done = await perform(removing.removeConnector, deps, { id: name }, by)
  assert.ok(done.kind !== 'ask_again')
  return done.kind === 'refused' ? done : { kind: 'removed' }
}

/** Accepts a balance. Null: it is not acceptable. */
export async function acceptBalance(sql: Sql, { connector, asked_at }: BalanceKey, by: Actor) {
  const values = { asked_at: asked_at.toISOString() }
  const done = await perform(accepting, { sql, clock }, { id: connector, values }, by)
  return done.kind === 'done' ? done.result : null
}
