import { welcome } from '../app/demo.ts'
import { serve as startService } from '../app/serve.ts'
import { createLog } from '../platform/log.ts'
import { CommandError, defineCommand } from './command.ts'

/** Milliseconds after which a stop that hangs is cut short. */
const STOP_PATIENCE = 40_000

export const serve = defineCommand({
  name: 'serve',
  summary: 'Run the service: everything in one process, or only the API or the worker',
  options: { only: 'optional' },
  async run({ config }, { only }) {
    if (only !== undefined && only !== 'api' && only !== 'worker') {
      throw new CommandError('--only is api or worker.', 2)
    }
    const log = createLog(config.log_level, config.brand.name)
    const ended = Promise.withResolvers<string>()
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        ended.resolve(signal)
      })
    }
    const service = await startService(config, { api: only !== 'worker', worker: only !== 'api' }, log, (error) =>
      ended.reject(error),
    )
    log.info({ address: service.address }, 'ready')
    if (service.demo !== null && service.address !== null) {
      process.stdout.write(welcome(service.demo, service.address, config))
    }
    try {
      log.info({ reason: await ended.promise }, 'stopping')
    } finally {
      const cutShort = setTimeout(() => {
        log.fatal('the stop hung and was cut short')
        process.exit(1)
      }, STOP_PATIENCE)
      cutShort.unref()
      await service.stop()
      log.info('stopped')
    }
    return null
  },
})
