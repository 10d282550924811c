import { createConnectorBox } from '../operators/contracts/connector-settings.ts'
import { connectorTypes } from '../operators/contracts/connector-types.ts'
import { type ContractDirectory, followContracts, readContracts } from '../operators/contracts/contract-directory.ts'
import type { Surroundings } from '../operators/contracts/open-connector.ts'
import { createOperatorHttp } from '../operators/operator-api/operator-http.ts'
import { machineMilliseconds } from '../platform/clock.ts'
import { refuseCrashPointBeside } from '../platform/crash-point.ts'
import type { Log } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { PeriodicTask } from '../platform/run-every.ts'
import type { Secret } from '../values/secret.ts'
import type { PublicOrigin } from './public-origin.ts'

type Dependencies = { sql: Sql; secretKey: Secret; origin: Pick<PublicOrigin, 'get'>; log: Log }

/** The things that every contract with an operator is opened with. */
export function createSurroundings({ secretKey, origin }: Pick<Dependencies, 'secretKey' | 'origin'>): Surroundings {
  return {
    types: connectorTypes,
    openHttp: ({ base_url }) => createOperatorHttp({ base_url: String(base_url) }),
    box: createConnectorBox(secretKey),
    origin: origin.get,
    now: () => new Date(machineMilliseconds()),
  }
}

/**
 * The contracts and routes, as they change, for a process of the service.
 * @throws ConfigError when this process can be made to die at a moment of a test, and a contract moves real money
 */
export function followLiveContracts({ sql, log, ...from }: Dependencies): Promise<ContractDirectory & PeriodicTask> {
  return followContracts({ sql, surroundings: createSurroundings(from), log, beforeUse: refuseCrashPointBeside })
}

/** The same as they are now, for a command. */
export function readLiveContracts({ sql, log, ...from }: Dependencies): Promise<ContractDirectory> {
  return readContracts({ sql, surroundings: createSurroundings(from), log })
}
