import { readServiceNote } from '../app/service-file.ts'
import { publicOrigin } from '../platform/config.ts'
import type { CommandContext } from './command-context.ts'

/** Scheme, host and port under which the service is reached: PUBLIC_URL, otherwise where it runs now, otherwise where it will. */
export async function serviceOrigin({ config }: CommandContext): Promise<string> {
  const running = config.public_url === null ? await readServiceNote(config) : null
  return running?.address ?? publicOrigin(config)
}
