import { readDecider } from '../../acts/second-person.ts'
import { type ActScreenDeps, deskAct } from '../../console/acts/act-screen.ts'
import { defineDeskScreen, type ScreenAnswer, type ScreenRequest } from '../../console/screen.ts'
import { readMerchantNames } from '../../merchants/store.ts'
import { listConnectors } from '../../operators/contracts/find-connectors.ts'
import { listRoutes } from '../../operators/contracts/find-routes.ts'
import type { WeatherReport } from '../../operators/weather/follow-weather.ts'
import type { StopScope } from '../../payouts/stop-facts.ts'
import { type PayoutsResumed, readPayoutStops, resumePayouts, stopPayouts } from '../../payouts/stop-payouts.ts'
import { readPersonNames } from '../../people/name-store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { operatorWeather } from '../weather-panel.ts'
import { switchView } from './switch-view.ts'

export type SwitchDeps = { sql: Sql; clock: Clock; weather: WeatherReport }
type Request = ScreenRequest<'desk'>

/** The kill switch with the weather, and the contracts and routes of this mode. */
export const getSwitch = defineDeskScreen<SwitchDeps>({
  method: 'GET',
  path: '/switch',
  operation: 'deskSwitch',
  summary: 'Read the stops, the weather of the operators, and the routes',
  right: 'desk.read',
  menu: {
    group: 'operators',
    icon: 'power',
    words: ['Arrêt des envois', 'Payout stop'],
    dock: ['Arrêt', 'Stop'],
  },
  handle: (request, deps) => show(request, deps, []),
})

const onPage = {
  back: ({ at }: Request) => at('/switch'),
  again: show,
} as const

export const switchActs = [
  deskAct<unknown, StopScope, SwitchDeps & ActScreenDeps>(stopPayouts, {
    ...onPage,
    path: '/switch/stop',
    done: () => '/switch?done=stopped',
  }),
  deskAct<unknown, PayoutsResumed, SwitchDeps & ActScreenDeps>(resumePayouts, {
    ...onPage,
    path: '/switch/resume',
    done: (_, { waiting }) => `/switch?done=${waiting ? 'asked' : 'resumed'}`,
  }),
]

async function show(
  request: Request,
  { sql, weather }: SwitchDeps,
  errors: readonly { field: string; text: string }[],
): Promise<ScreenAnswer> {
  const { livemode } = request
  const [inForce, all, connectors, routes] = await Promise.all([
    readPayoutStops(sql, { lifted: false }),
    readPayoutStops(sql, { lifted: true }),
    listConnectors(sql),
    listRoutes(sql, livemode),
  ])
  // A stop in force is always shown, however many were lifted since.
  const stops = [...inForce, ...all.filter(({ lifted_at }) => lifted_at !== null)]
  const people = stops.flatMap(({ stopped_by, resume_asked_by, lifted_by }) => [stopped_by, resume_asked_by, lifted_by])
  const merchant_ids = stops.flatMap(({ scope, value }) => (scope === 'merchant' ? [Number(value)] : []))
  const [names, merchants, reader] = await Promise.all([
    readPersonNames(sql, people),
    readMerchantNames(sql, merchant_ids),
    readDecider(sql, request.actor.person),
  ])
  const facts = {
    stops,
    weather: operatorWeather(weather, livemode),
    connectors: connectors.filter((one) => one.livemode === livemode && one.removed_at === null),
    routes,
  }
  return switchView(request, { ...facts, names, merchants, reader, errors })
}
