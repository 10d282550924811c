import { isDeepStrictEqual } from 'node:util'
import { type ActDecision, defineAct, type RefusalWords, refuse, service } from '../../acts/act.ts'
import { defineDecision } from '../../acts/decision.ts'
import { requestedBy, type ValuesOf } from '../../acts/facts.ts'
import type { ActDeps } from '../../acts/perform.ts'
import { type ActProposal, type Waits, waitsFor } from '../../acts/proposal.ts'
import { lockProposal, readWaitingProposal, writeActDecision } from '../../acts/proposal-store.ts'
import { propose, secondDecides } from '../../acts/propose.ts'
import { readMerchantName } from '../../acts/store.ts'
import { defineWithdrawal } from '../../acts/withdraw-proposal.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { isBreakGlass } from '../../values/actor.ts'
import type { Words } from '../../values/language.ts'
import type { OperatorCode } from '../../values/operators.ts'
import { offers } from '../routing/registry.ts'
import * as store from './connector-store.ts'
import { openConnector, type Surroundings } from './open-connector.ts'
import { routeFacts, routeFields } from './route-facts.ts'
import { deleteRoute, EVERYBODY, lockRoute, putRoute, type RouteKey, type RouteRow } from './route-store.ts'

export type RouteToSet = Omit<RouteRow, 'changed_by' | 'changed_at'>
export type RouteDeps = { readonly surroundings: Surroundings }

/** Hours for which a route to a new connector takes a second person. */
const YOUNG_HOURS = 24

const routeIn = (values: ValuesOf<typeof routeFields>): RouteToSet => ({
  merchant_id: values.merchant ?? EVERYBODY,
  livemode: values.mode === 'live',
  ...{ operator: values.operator, direction: values.direction, connectors: values.through },
  ...{ amount_min: values.min, amount_max: values.max },
})

/** The name of a route in the audit log. */
const nameOf = ({ operator, direction }: RouteKey): string => `${operator}/${direction}`

const writeRoute = defineEffect<RouteToSet & { readonly changed_by: string }>('route', async (tx, routes) => {
  for (const route of routes) await (route.connectors.length === 0 ? deleteRoute(tx, route) : putRoute(tx, route))
})

/** Locks the connectors of a route, so that none is removed until the commit, and the route, and judges it. */
async function lockForRoute(tx: Tx, route: RouteToSet, { surroundings }: RouteDeps) {
  const held = await store.holdConnectors(tx, route.connectors)
  const problems: Words[] = []
  for (const name of route.connectors) {
    const row = held.find((one) => one.name === name)
    const problem =
      row === undefined
        ? ([`Il n’y a pas de connecteur ${name}.`, `There is no connector ${name}.`] as const)
        : await connectorProblem(tx, surroundings, row, route)
    if (problem !== null) problems.push(problem)
  }
  const { merchant_id } = route
  return {
    about: { merchant_id, livemode: route.livemode },
    ...{ route, held, problem: problems[0] ?? null, before: await lockRoute(tx, route) },
    is_known: merchant_id === EVERYBODY || (await readMerchantName(tx, merchant_id)) !== null,
  }
}

type Locked = Awaited<ReturnType<typeof lockForRoute>>

function contentOf({ route: { connectors, amount_min, amount_max, operator, direction }, before }: Locked) {
  const today = before?.connectors ?? []
  return { operator: operator as OperatorCode, direction, connectors, today, amount_min, amount_max }
}

/** The change of a route with its line, or the reason why it is none. @param changed_by the first of two people, if there are two */
function judgeRoute({ route, before, problem, is_known }: Locked, changed_by: string) {
  const { connectors, amount_min, amount_max } = route
  if (!is_known) return refuse('no_merchant')
  if (amount_min !== null && amount_max !== null && amount_min > amount_max) return refuse('bounds')
  if (problem !== null) return refuse('unusable', { problem })
  if (connectors.length === 0 && before === null) return refuse('no_route')
  const removes = connectors.length === 0
  return {
    kind: 'changed',
    effects: [writeRoute({ ...route, changed_by })],
    line: removes ? 'route.remove' : 'route.set',
    ...(before === null ? {} : { before: boundsOf(before) }),
    ...(removes ? {} : { after: boundsOf(route) }),
  } as const
}

const boundsOf = ({ connectors, amount_min, amount_max }: RouteToSet) => ({ connectors, amount_min, amount_max })

const refusals = {
  no_merchant: {
    at: 'merchant',
    words: ['Aucun marchand n’a ce numéro.', 'No merchant has this number.'],
    command: 'There is no merchant {merchant}.',
  },
  bounds: {
    at: 'max',
    words: ['« Au plus » ne peut pas être inférieur à « Au moins ».', '“At most” must not be below “At least”.'],
    command: '--min must not be above --max.',
  },
  unusable: { at: 'through', words: ['{problem}', '{problem}'] },
  no_route: { at: 'through', words: ['Il n’y a pas de telle route.', 'There is no such route.'] },
} as const satisfies Record<string, RefusalWords>

const anotherWaits: RefusalWords = {
  at: 'through',
  words: [
    'Une autre route attend déjà une deuxième personne. Elle est décidée d’abord.',
    'Another such route waits for a second person already. It is decided first.',
  ],
}

/** `removed`: the route was taken away, because no connector was named. */
export type RouteChanged = { readonly route: RouteToSet; readonly removed: boolean }

/**
 * Sets the contracts for operations of one operator and direction, for all merchants or for one. In force within a second in every process;
 * orders that were sent keep their contract. Without connectors it removes the route. In live mode a route to a connector younger than a day waits
 * for a second person.
 */
export const setRoute = defineAct({
  name: 'route.set',
  summary: 'Set the connectors that take the operations of an operator, for all merchants or for one',
  title: ['Changer une route', 'Change a route'],
  right: 'connectors.manage',
  fresh: true,
  on: service,
  fields: routeFields,
  async load(tx, { by, values }, { clock, ...deps }: RouteDeps & ActDeps) {
    const has = await lockForRoute(tx, routeIn(values), deps)
    const since = clock.now().getTime() - YOUNG_HOURS * 3_600_000
    const young = has.held.some(({ created_at }) => created_at.getTime() > since)
    const takes_second = has.route.livemode && young && !isBreakGlass(by)
    const waiting = takes_second ? await readWaitingProposal(tx, has.about, 'route.set', nameOf(has.route)) : null
    return { ...has, takes_second, waiting }
  },
  facts: routeFacts,
  content: (has) => contentOf(has),
  note: ({ takes_second }) => (takes_second ? secondDecides : null),
  decide(
    { by },
    { waiting, takes_second, ...has },
    now,
  ): ActDecision<RouteChanged | Waits, keyof typeof refusals | 'another_waits'> {
    const { route } = has
    const changed = judgeRoute(has, by.person)
    if (changed.kind === 'refused') return changed
    const { kind: _, ...rest } = changed
    const subject = nameOf(route)
    if (!takes_second)
      return { kind: 'accepted', ...rest, result: { route, removed: route.connectors.length === 0 }, subject }
    if (waiting !== null)
      return isDeepStrictEqual(waiting.typed, route)
        ? { kind: 'unchanged', result: waitsFor(waiting) }
        : refuse('another_waits')
    const asked = { ...has.about, act: 'route.set', subject, key: subject, amount: null } as const
    const line = { line: 'route.propose', after: boundsOf(route) } as const
    return propose(by, { ...asked, typed: route, content: contentOf(has) }, line, now)
  },
  refusals: { ...refusals, another_waits: anotherWaits },
  // A route that does not exist yet holds back nobody who proposes it at the same time.
  conflicts: { act_proposals_standing: 'another_waits' },
})

/** A second person sets a route to a new connector, or refuses it. */
export const decideRoute = defineDecision({
  names: { approve: 'route.approve', refuse: 'route.refuse' },
  id: 'prp',
  noun: 'proposed route',
  summaries: {
    approve: 'Set a route that waits for a second person; needs a person other than the proposer',
    refuse: 'Refuse a route that waits for a second person; it stays as it is',
  },
  title: ['Changer une route', 'Change a route'],
  right: 'connectors.manage',
  lock: (tx, id) => lockProposal<RouteToSet>(tx, id, 'route.set'),
  load: (tx, row: ActProposal<RouteToSet>, deps: RouteDeps) => lockForRoute(tx, row.typed, deps),
  facts: { ...routeFacts, requested_by: requestedBy },
  content: ({ proposed_by: requested_by }, has) => ({ ...contentOf(has), requested_by }),
  decided: writeActDecision,
  approve({ proposed_by }, has) {
    const changed = judgeRoute(has, proposed_by)
    if (changed.kind === 'refused') return changed
    const { kind: _, line: __, ...rest } = changed
    return { ...rest, row: { outcome: nameOf(has.route) } }
  },
  refused: ({ subject, content: { connectors } }) => ({ route: subject, connectors }),
  refusals,
})

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

/** The first person takes a route back that waits for a second one. */
export const withdrawRoute = defineWithdrawal({
  name: 'route.withdraw',
  of: ['route.set'],
  noun: 'proposed route',
  summary: 'Withdraw a route that one has proposed oneself; it stays as it is',
  right: 'connectors.manage',
})
