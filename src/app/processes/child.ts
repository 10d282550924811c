import { once } from 'node:events'
import { ConfigError, readConfig } from '../../platform/config.ts'
import { createLog } from '../../platform/log.ts'
import { createMetrics } from '../../platform/metrics.ts'
import { isConnectionLost } from '../../platform/postgres/failures.ts'
import { groundOf } from '../open-database.ts'
import { runRoles } from '../run-roles.ts'
import { limitStop } from '../stop-patience.ts'
import { LISTENING_FD, type ToChild, type ToParent } from './messages.ts'

// The program of a child process. It hears from its parent what it is, does that until it is asked to stop or its parent is gone,
// and ends. Its log and its errors go where its parent's go.

/** Resolves with the reason why this process has to end. */
const asked = Promise.withResolvers<string>()
/** From when it is ready until it begins to stop. */
let serving = false

process.on('SIGTERM', () => asked.resolve('SIGTERM'))
// A terminal sends this to the whole group. The parent hears it as well, and knows who stops when.
process.on('SIGINT', () => {})
process.on('disconnect', leaveWithParent)

const [first] = (await once(process, 'message')) as [ToChild]
if (first.kind !== 'begin') throw new Error('A child process is told first what it is.')
await run(first)

async function run({ share, settings }: Extract<ToChild, { kind: 'begin' }>): Promise<void> {
  // In a list of processes one sees which is which.
  process.title = `bandama ${share.name}`
  const config = readConfig({ ...process.env, ...settings })
  const log = createLog(config.log_level, config.brand.name).child({ process: share.name })
  const metrics = createMetrics(share.name)
  process.on('message', (message: ToChild) => {
    if (message.kind !== 'figures') return
    const { question } = message
    metrics.metrics().then(
      (text) => tell({ kind: 'figures', question, text }),
      (error) => log.error({ error }, 'the figures could not be read'),
    )
  })
  const ground = groundOf(config, log)
  const running = await runRoles({
    roles: share.roles,
    answers_alone: share.answers_alone,
    config,
    ground,
    log,
    metrics,
    listening_fd: share.roles.api ? LISTENING_FD : null,
  }).catch(fail)
  serving = true
  log.info('process ready')
  tell({ kind: 'ready' })
  log.info({ reason: await asked.promise }, 'process stopping')
  serving = false
  limitStop(log)
  await running.stop()
  await ground.close()
  log.info('process stopped')
  process.off('disconnect', leaveWithParent)
  if (process.connected) process.disconnect!()
}

/** A parent that is gone was killed, or its own stop was cut short: then ours is too. */
function leaveWithParent(): void {
  if (!serving) process.exit(1)
  asked.resolve('the parent process is gone')
}

/** What people can mend is told in one line, by the parent; anything else with its trace, here. */
async function fail(error: unknown): Promise<never> {
  if (!(error instanceof ConfigError || isConnectionLost(error))) throw error
  await new Promise<void>((resolve) => {
    tell({ kind: 'failed', reason: (error as Error).message }, resolve)
  })
  process.exit(1)
}

function tell(message: ToParent, told: () => void = () => {}): void {
  // What a parent that is gone would have been told does not matter any more.
  if (process.connected) process.send!(message, undefined, {}, told)
  else told()
}
