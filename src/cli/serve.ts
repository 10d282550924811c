import { availableParallelism } from 'node:os'
import { checkPorts } from '../app/check-ports.ts'
import { demoPath, welcome } from '../app/demo.ts'
import { divide, PROCESSES_MAX, readProcesses, usualProcesses } from '../app/processes/divide.ts'
import { ProcessFailed } from '../app/processes/keep-process.ts'
import { readServiceNote, type ServiceNote } from '../app/service-file.ts'
import { limitStop } from '../app/stop-patience.ts'
import { type Config, publicOrigin } from '../platform/config.ts'
import { createLog } from '../platform/log.ts'
import { type Command, CommandError, defineCommand } from './command.ts'
import { outputClosed, print } from './output.ts'

const serve = defineCommand({
  name: 'serve',
  summary: 'Run the service: the API and the worker, or only one of them, in one process or in several',
  options: {
    only: { kind: 'optional', says: 'only answer requests, or only work behind them', choices: ['api', 'worker'] },
    processes: { kind: 'optional', value: 'N|auto', says: `1 to ${PROCESSES_MAX}, or as many as suit the cores` },
  },
  async run({ config }, { only, processes }, { json }) {
    const embedded = config.database_url === null
    const asked = readProcesses(processes ?? usualProcesses({ embedded, only }))
    if (asked === null) throw new CommandError(`--processes is auto or a number from 1 to ${PROCESSES_MAX}.`, 2)
    const shares = divide(asked, {
      roles: { api: only !== 'worker', worker: only !== 'api' },
      cores: availableParallelism(),
      counts_shared: config.redis_url !== null,
    })
    const running = only === 'worker' ? null : await findRunning(config)
    if (running !== null) throw new CommandError(whereToLook(running, config))
    await checkPorts(config, { api: only !== 'worker' })
    const log = createLog(config.log_level, config.brand.name)
    if (!embedded && config.public_url === null && only !== 'worker') {
      log.warn(
        { setting: 'PUBLIC_URL', address: publicOrigin(config) },
        'PUBLIC_URL is not set: links and pages name this address, which payers elsewhere cannot reach',
      )
    }
    const ended = Promise.withResolvers<string>()
    // Without its log nobody knows what it does: it stops in order, and whoever keeps it running starts it with a new one.
    void outputClosed.then(() => ended.resolve('its output is closed'))
    // One stop is enough: npm passes on what a terminal has sent to everybody already.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        ended.resolve(signal)
      })
    }
    // Loaded here, because all the other commands do without what answers requests.
    const { serve: startService } = await import('../app/serve.ts')
    const service = await startService(config, shares, log, (error) => ended.reject(error)).catch((error) => {
      throw error instanceof ProcessFailed ? new CommandError(error.message, error.exit_code) : error
    })
    const names = shares.length === 1 ? {} : { processes: shares.map(({ name }) => name) }
    log.info({ address: service.address, ...names }, 'ready')
    if (service.demo !== null && service.address !== null && !json) {
      await print(welcome(service.demo, service.address, config))
    }
    try {
      log.info({ reason: await ended.promise }, 'stopping')
    } finally {
      limitStop(log)
      await service.stop()
      log.info('stopped')
    }
    return null
  },
})

/** The service of this data folder, when it runs and answers. */
async function findRunning(config: Config): Promise<ServiceNote | null> {
  const note = await readServiceNote(config)
  if (note === null) return null
  // A note that was left by a service that was killed may name the process of somebody else by now.
  const answer = await fetch(`${note.address}/healthz`, { signal: AbortSignal.timeout(2_000) }).catch(() => null)
  return answer?.ok === true ? note : null
}

function whereToLook({ address, pid }: ServiceNote, config: Config): string {
  return [
    `Another ${config.brand.name} (process ${pid}) already serves ${config.data_dir}, on ${address}`,
    `  Reference   ${address}/docs`,
    ...(config.demo ? [`  Keys        ${demoPath(config)}`, '  Webhooks    bin/bandama listen shows them'] : []),
    'Stop it before you start another, or set DATA_DIR, PORT and METRICS_PORT for a second one beside it.',
  ].join('\n')
}

export const commands: readonly Command[] = [serve]
