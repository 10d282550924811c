import { once } from 'node:events'
import { createServer } from 'node:net'
import { getSystemErrorMessage } from 'node:util'
import { type Config, ConfigError } from '../platform/config.ts'

/**
 * Sees to it that the service can listen where it is told to, before anything of it is started.
 * @param api whether it answers requests; otherwise it serves its metrics only
 * @throws ConfigError naming the setting that has to be another
 */
export async function checkPorts(config: Config, { api }: { api: boolean }): Promise<void> {
  const { host, port, metrics_host, metrics_port } = config
  if (api && port !== 0 && port === metrics_port) {
    throw new ConfigError(`PORT and METRICS_PORT are both ${port}: set one of them to another port.`)
  }
  if (api) await checkPort('PORT', 'HOST', host, port)
  await checkPort('METRICS_PORT', 'METRICS_HOST', metrics_host, metrics_port)
}

/** Zero is any free port. A port that somebody takes after this check is refused when the service listens on it. */
async function checkPort(setting: string, hostSetting: string, host: string, port: number): Promise<void> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    const { code, errno } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      throw new ConfigError(
        `${setting}: another program listens on port ${port} of ${host}. Set ${setting} to another port.`,
      )
    }
    const why = errno === undefined ? code : getSystemErrorMessage(errno)
    throw new ConfigError(
      `${setting}: port ${port} of ${host} cannot be had: ${why}. Set ${setting} or ${hostSetting} otherwise.`,
    )
  } finally {
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
}
