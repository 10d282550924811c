import { readServiceNote } from '../app/service-file.ts'
import { publicOrigin } from '../platform/config.ts'
import type { CommandContext } from './command-context.ts'

/**
 * Scheme, host and port of the service: PUBLIC_URL, else the address of the running service, else the configured one.
 */
export async function serviceOrigin({ config }: CommandContext): Promise<string> {
  const running = config.public_url === null ? await readServiceNote(config) : null
  return running?.address ?? publicOrigin(config)
}
