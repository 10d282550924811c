import { checkPorts } from '../../app/check-ports.ts'
import { demoPath, welcome, welcomeBack } from '../../app/demo.ts'
import type { Roles } from '../../app/run-roles.ts'
import type { RunningService } from '../../app/serve.ts'
import { readServiceNote, type ServiceNote } from '../../app/service-file.ts'
import { enforceShutdownTimeout, enforceStartTimeout } from '../../app/shutdown-timeout.ts'
import { type Config, publicOrigin } from '../../platform/config.ts'
import { createLog, type Log } from '../../platform/log.ts'
import { type Command, CommandError, defineCommand } from '../command.ts'
import { outputClosed, print } from '../output.ts'

const serve = defineCommand({
  name: 'serve',
  summary: 'Run the service: the API and the worker, or only one of them',
  options: {
    only: { kind: 'optional', says: 'only the API, or only the worker', choices: ['api', 'worker'] },
  },
  async run({ config }, { only }, { json }) {
    const roles = { api: only !== 'worker', worker: only !== 'api' }
    const running = roles.api ? await findRunning(config) : null
    if (running !== null) throw new CommandError(whereToLook(running, config))
    await checkPorts(config, roles)
    const log = createLog(config.log_level, config.brand.name)
    if (config.database_url !== null && config.public_url === null && roles.api) {
      log.warn(
        { setting: 'PUBLIC_URL', address: publicOrigin(config) },
        'PUBLIC_URL is not set: links and pages name this address, which payers elsewhere cannot reach',
      )
    }
    const ended = Promise.withResolvers<string>()
    // Without its log the service stops in order, so that its supervisor starts it again with a new one.
    void outputClosed.then(() => ended.resolve('its output is closed'))
    // Further signals are ignored, because npm passes on a signal that the terminal has already sent to every process.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        ended.resolve(signal)
      })
    }
    const service = await start(config, roles, log, ended)
    if (service.first_link !== null && !json) {
      await print(
        `This service has no administrator yet. This link makes the first one. It works once, within an hour:\n  ${service.first_link}\n`,
      )
    }
    log.info({ address: service.address }, 'ready')
    if (service.demo !== null && service.address !== null && !json) {
      const { demo, made } = service.demo
      await print((made ? welcome : welcomeBack)(demo, service.address, config))
    }
    try {
      log.info({ reason: await ended.promise }, 'stopping')
    } finally {
      enforceShutdownTimeout(log)
      await service.stop()
      log.info('stopped')
    }
    return null
  },
})

/**
 * Starts the service, until it is ready or `ended` has a reason to end it.
 * @throws CommandError when it was told to end, and any error of the start, once all that was started has ended
 */
async function start(
  config: Config,
  roles: Roles,
  log: Log,
  ended: PromiseWithResolvers<string>,
): Promise<RunningService> {
  // Loaded here, because other commands do not need the server's code.
  const { serve: startService } = await import('../../app/serve.ts')
  const starting = new AbortController()
  let isOver = false
  let over = () => {
    isOver = true
  }
  const end = (reason: Error) => {
    if (isOver) return
    over = enforceStartTimeout(log)
    starting.abort(reason)
  }
  ended.promise.then((reason) => end(new CommandError(`The start was ended: ${reason}.`)), end)
  try {
    return await startService(config, roles, log, { signal: starting.signal, onLost: ended.reject })
  } catch (error) {
    // Nothing that a failed start has left may keep the process.
    enforceStartTimeout(log)
    throw error
  } finally {
    over()
  }
}

/** Finds the service of this data folder, if it runs and answers. */
async function findRunning(config: Config): Promise<ServiceNote | null> {
  const note = await readServiceNote(config)
  if (note === null) return null
  // A killed service leaves its note, and the process id may belong to another process by now.
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
