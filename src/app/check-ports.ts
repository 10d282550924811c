import { once } from 'node:events'
import { createServer } from 'node:net'
import { getSystemErrorMessage } from 'node:util'
import { type Config, ConfigError } from '../platform/config.ts'

/**
 * Checks that the service can listen on its ports, before anything is started.
 * @param api whether this process serves the API; otherwise it serves only metrics
 * @throws ConfigError naming the setting to change
 */
export async function checkPorts(config: Config, { api }: { api: boolean }): Promise<void> {
  const { host, port, metrics_host, metrics_port } = config
  if (api && port !== 0 && port === metrics_port) {
    throw new ConfigError(`PORT and METRICS_PORT are both ${port}. Set one of them to another port.`)
  }
  if (api) await checkPort('PORT', 'HOST', host, port)
  await checkPort('METRICS_PORT', 'METRICS_HOST', metrics_host, metrics_port)
}

/** Port 0 means any free port. If another program takes the port after this check, listening fails. */
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
      `${setting}: cannot listen on port ${port} of ${host}: ${why}. Change ${setting} or ${hostSetting}.`,
    )
  } finally {
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
}
