import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { getSystemErrorMessage } from 'node:util'
import { type Config, ConfigError } from '../platform/config.ts'

/** Milliseconds after which we take it that nobody answers. Only an address behind a firewall neither accepts nor refuses at once. */
const ANSWER_MS = 1_000

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

/**
 * Port 0 means any free port. A port is never listened on for the check: clients that call a service about to come back would be taken, and
 * cut. If another program takes the port after this check, or only root may have it, listening fails.
 */
async function checkPort(setting: string, hostSetting: string, host: string, port: number): Promise<void> {
  if (port !== 0 && (await answers(host, port))) {
    throw new ConfigError(
      `${setting}: another program listens on port ${port} of ${host}. Set ${setting} to another port.`,
    )
  }
  const server = createServer()
  try {
    server.listen(0, host)
    await once(server, 'listening')
  } catch (error) {
    const { code, errno } = error as NodeJS.ErrnoException
    const why = errno === undefined ? code : getSystemErrorMessage(errno)
    throw new ConfigError(
      `${setting}: cannot listen on port ${port} of ${host}: ${why}. Change ${setting} or ${hostSetting}.`,
    )
  } finally {
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
}

/** Whether somebody takes connections there. */
async function answers(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port, timeout: ANSWER_MS })
  socket.once('timeout', () => socket.destroy(new Error('nobody answers')))
  try {
    await once(socket, 'connect')
    // The kernel may choose this same port for our end, and then connects the socket with itself.
    return socket.localPort !== port
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
