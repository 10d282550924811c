import { type ListedConnector, listConnectors } from '../../operators/contracts/find-connectors.ts'
import { type ListedRoute, listRoutes } from '../../operators/contracts/find-routes.ts'
import type { Surroundings } from '../../operators/contracts/open-connector.ts'
import { type FloatRow, readNewest } from '../../operators/float/float-store.ts'
import { readRefusing } from '../../operators/routing/circuit-store.ts'
import type { WeatherReport } from '../../operators/weather/follow-weather.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { type OperatorWeather, operatorWeather } from '../weather-panel.ts'

export type ConnectorDeps = { readonly sql: Sql; readonly surroundings: Surroundings; readonly weather: WeatherReport }

/** A contract in use, with its operator's balance, and whether processes skip it at the moment. */
export type ConnectorLine = ListedConnector & { readonly refuses: boolean; readonly float: FloatRow | null }

export type ConnectorFacts = {
  readonly connectors: readonly ConnectorLine[]
  readonly routes: readonly ListedRoute[]
  readonly weather: readonly OperatorWeather[]
}

/** Reads the contracts in use in one mode, its routes, and the operators' weather. */
export async function readConnectorFacts({ sql, weather }: ConnectorDeps, livemode: boolean): Promise<ConnectorFacts> {
  const [all, routes, floats, refusing] = await Promise.all([
    listConnectors(sql),
    listRoutes(sql, livemode),
    readNewest(sql),
    readRefusing(sql),
  ])
  const connectors = all
    .filter((one) => one.livemode === livemode && one.removed_at === null)
    .map((one) => ({
      ...one,
      refuses: refusing.includes(one.name),
      float: floats.find(({ connector }) => connector === one.name) ?? null,
    }))
  return { connectors, routes, weather: operatorWeather(weather, livemode) }
}
