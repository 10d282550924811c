import { createConnectorBox } from '../operators/contracts/connector-settings.ts'
import { connectorTypes } from '../operators/contracts/connector-types.ts'
import { type ContractDirectory, followContracts, readContracts } from '../operators/contracts/contract-directory.ts'
import type { Surroundings } from '../operators/contracts/open-connector.ts'
import { createOperatorHttp } from '../operators/operator-api/operator-http.ts'
import { machineMilliseconds } from '../platform/clock.ts'
import { type Config, proxyOf } from '../platform/config.ts'
import { refuseCrashPointBeside } from '../platform/crash-point.ts'
import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { PeriodicTask } from '../platform/run-every.ts'
import type { Secret } from '../values/secret.ts'
import type { PublicOrigin } from './public-origin.ts'

type Dependencies = {
  sql: Sql
  secretKey: Secret
  origin: Pick<PublicOrigin, 'get'>
  config: Pick<Config, 'proxy' | 'operator_http_allow'>
  log: Log
}

/** Returns the common dependencies for opening contracts with operators. */
export function createSurroundings({
  secretKey,
  origin,
  config,
}: Pick<Dependencies, 'secretKey' | 'origin' | 'config'>): Surroundings {
  const way = { proxy: proxyOf(config), http_allow: config.operator_http_allow }
  return {
    types: connectorTypes,
    http_allow: way.http_allow,
    openHttp: ({ base_url }) => createOperatorHttp({ base_url: String(base_url), way }),
    box: createConnectorBox(secretKey),
    origin: origin.get,
    now: () => new Date(machineMilliseconds()),
  }
}

/**
 * Follows the changing contracts and routes, for a process of the service.
 * @throws ConfigError when crash points are on and a contract moves real money
 */
export function followLiveContracts({ sql, log, ...from }: Dependencies): Promise<ContractDirectory & PeriodicTask> {
  return followContracts({ sql, surroundings: createSurroundings(from), log, beforeUse: refuseCrashPointBeside })
}

/** Reads the current contracts and routes, for a command. */
export function readLiveContracts({ sql, log, ...from }: Dependencies): Promise<ContractDirectory> {
  return readContracts({ sql, surroundings: createSurroundings(from), log })
}
