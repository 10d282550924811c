import { readLiveContracts } from '../app/contracts.ts'
import { createPublicOrigin } from '../app/public-origin.ts'
import { createOperators } from '../app/work.ts'
import type { Registry } from '../operators/routing/registry.ts'
import type { CommandContext } from './command-context.ts'

/** Opens the registry of connectors, from the present contracts and routes. */
export async function openRegistry(context: CommandContext): Promise<Registry> {
  const { config, clock, log } = context
  const [sql, secretKey] = await Promise.all([context.sql(), context.secretKey()])
  const contracts = await readLiveContracts({ sql, secretKey, origin: createPublicOrigin(config), config, log })
  return createOperators({ sql, config, secretKey, clock, contracts }).registry
}
