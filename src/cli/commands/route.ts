import { setTimeout as sleep } from 'node:timers/promises'
import { IN_FORCE_MS } from '../../operators/contracts/contract-directory.ts'
import { listRoutes } from '../../operators/contracts/find-routes.ts'
import { EVERYBODY } from '../../operators/contracts/route-store.ts'
import { decideRoute, setRoute, withdrawRoute } from '../../operators/contracts/set-route.ts'
import { actCommand } from '../act-command.ts'
import { type Command, defineCommand, readMode } from '../command.ts'
import { viewProposal } from '../view-proposal.ts'
import { connectorDeps } from './connector.ts'

const routeSet = actCommand(setRoute, {
  details:
    'The first connector that offers the operation takes it. The command returns when every process follows the route. An order that was sent keeps ' +
    "its connector. --min and --max narrow the operator's own bounds. --connectors none removes the route. In live mode a signed-in person's route to a " +
    'connector younger than a day waits for a second person.',
  deps: connectorDeps,
  instead: {
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
    },
    typed: ({ connectors, ...given }) => ({
      ...(given as Record<string, string | undefined>),
      // An empty text names no connector, and takes no route away.
      through: connectors === '' ? ',' : (connectors as string),
    }),
  },
  async answer(made) {
    if ('proposal_id' in made) return made
    await sleep(IN_FORCE_MS)
    const { merchant_id, livemode, operator, direction, connectors, amount_min: min, amount_max: max } = made.route
    const whose = merchant_id === EVERYBODY ? {} : { merchant_id }
    return { mode: livemode ? 'live' : 'test', ...whose, operator, direction, connectors, min, max }
  },
  advice: (made) =>
    'proposal_id' in made
      ? `Another person confirms it on the desk, or with bandama route approve --id ${made.proposal_id}.`
      : null,
})

const decided = { deps: connectorDeps, answer: viewProposal }
const routeApprove = actCommand(decideRoute.approve, decided)
const routeRefuse = actCommand(decideRoute.refuse, decided)
const routeWithdraw = actCommand(withdrawRoute, decided)

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

export const commands: readonly Command[] = [routeSet, routeApprove, routeRefuse, routeWithdraw, routeList]
