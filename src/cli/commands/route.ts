import { setTimeout as sleep } from 'node:timers/promises'
import { merchantExists } from '../../merchants/store.ts'
import { IN_FORCE_MS } from '../../operators/contracts/contract-directory.ts'
import { listRoutes } from '../../operators/contracts/find-routes.ts'
import { EVERYBODY } from '../../operators/contracts/route-store.ts'
import { setRoute } from '../../operators/contracts/set-route.ts'
import { type Command, CommandError, defineCommand, readAmount, readMerchant, readMode } from '../command.ts'
import { connectorDeps } from './connector.ts'

/** The most connectors of a route. */
const CONNECTORS_MAX = 8

const routeSet = defineCommand({
  name: 'route set',
  summary: 'Set the connectors that take the operations of an operator, for all merchants or for one',
  details:
    'The first connector that offers the operation takes it. The command returns when every process follows the route. An order that was sent keeps ' +
    "its connector. --min and --max narrow the operator's own bounds. --connectors none removes the route.",
  right: 'connectors.manage',
  fresh: true,
  options: {
    mode: 'needed',
    operator: 'needed',
    direction: { kind: 'needed', says: 'the operations', choices: ['collect', 'payout', 'refund'] },
    connectors: {
      kind: 'needed',
      value: 'A,B',
      says: 'the connectors, the preferred one first, or none',
      sample: 'pawapay-main',
    },
    merchant: { kind: 'optional', says: 'for this merchant only, instead of the route of all merchants' },
    min: { kind: 'optional', value: 'FRANCS', says: 'the smallest amount', sample: '100' },
    max: { kind: 'optional', value: 'FRANCS', says: 'the largest amount', sample: '500000' },
    as: 'optional',
  },
  async run(context, { mode, operator, direction, connectors, merchant, min, max, as }) {
    const by = context.actor(as)
    const names = readNames(connectors)
    const amount_min = min === undefined ? null : readAmount('min', min)
    const amount_max = max === undefined ? null : readAmount('max', max)
    if (amount_min !== null && amount_max !== null && amount_min > amount_max) {
      throw new CommandError('--min must not be above --max.', 2)
    }
    const deps = await connectorDeps(context)
    const merchant_id = merchant === undefined ? EVERYBODY : readMerchant(merchant)
    if (merchant !== undefined && !(await merchantExists(deps.sql, merchant_id))) {
      throw new CommandError(`There is no merchant ${merchant_id}.`)
    }
    const key = { merchant_id, livemode: readMode(mode), operator, direction }
    const result = await setRoute(deps, { ...key, connectors: names, amount_min, amount_max }, by)
    if (result.kind === 'refused') throw new CommandError(result.problem[1])
    await sleep(IN_FORCE_MS)
    const whose = merchant === undefined ? {} : { merchant_id }
    return { mode, ...whose, operator, direction, connectors: names, min: amount_min, max: amount_max }
  },
})

const routeList = defineCommand({
  name: 'route list',
  summary: 'Show the routes of a mode',
  options: { mode: 'needed' },
  table: {
    rows: 'routes',
    columns: ['operator', 'direction', 'merchant_id', 'connectors', 'min', 'max', 'changed_at', 'changed_by'],
    empty: 'There are no routes in this mode yet: bandama route set makes one.',
  },
  async run(context, { mode }) {
    const routes = await listRoutes(await context.sql(), readMode(mode))
    return {
      routes: routes.map(({ livemode, amount_min, amount_max, ...row }) => ({
        ...row,
        min: amount_min,
        max: amount_max,
      })),
    }
  },
})

function readNames(text: string): string[] {
  if (text === 'none') return []
  const names = text.split(',').map((one) => one.trim())
  if (names.includes('') || new Set(names).size !== names.length || names.length > CONNECTORS_MAX) {
    throw new CommandError(
      `--connectors names 1 to ${CONNECTORS_MAX} different connectors with commas between them, or none.`,
      2,
    )
  }
  return names
}

export const commands: readonly Command[] = [routeSet, routeList]
