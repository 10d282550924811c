import { availableParallelism } from 'node:os'
import { welcome } from '../app/demo.ts'
import { divide, PROCESSES_MAX, readProcesses, usualProcesses } from '../app/processes/divide.ts'
import { ProcessFailed } from '../app/processes/keep-process.ts'
import { limitStop } from '../app/stop-patience.ts'
import { createLog } from '../platform/log.ts'
import { type Command, CommandError, defineCommand } from './command.ts'

const serve = defineCommand({
  name: 'serve',
  summary: 'Run the service: the API and the worker, or only one of them, in one process or in several',
  options: {
    only: { kind: 'optional', says: 'only answer requests, or only work behind them', choices: ['api', 'worker'] },
    processes: { kind: 'optional', value: 'N|auto', says: `1 to ${PROCESSES_MAX}, or as many as suit the cores` },
  },
  async run({ config }, { only, processes }) {
    const embedded = config.database_url === null
    const asked = readProcesses(processes ?? usualProcesses({ embedded, only }))
    if (asked === null) throw new CommandError(`--processes is auto or a number from 1 to ${PROCESSES_MAX}.`, 2)
    const shares = divide(asked, {
      roles: { api: only !== 'worker', worker: only !== 'api' },
      cores: availableParallelism(),
      counts_shared: config.redis_url !== null,
    })
    const log = createLog(config.log_level, config.brand.name)
    const ended = Promise.withResolvers<string>()
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
    if (service.demo !== null && service.address !== null) {
      process.stdout.write(welcome(service.demo, service.address, config))
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

export const commands: readonly Command[] = [serve]
