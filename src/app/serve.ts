import { linkPath } from '../people/give-link.ts'
import { inviteFirstAdministrator } from '../people/invite-first-administrator.ts'
import { createClock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import { createEgress } from '../platform/egress/post.ts'
import type { Log } from '../platform/log.ts'
import { createMetrics, serveMetrics } from '../platform/metrics.ts'
import { followDatabaseClock } from './database-clock.ts'
import { createDemo, type Demo, readDemo } from './demo.ts'
import { openResources, type Resources } from './open-database.ts'
import { hasConsole, signInOrigin } from './public-origin.ts'
import { statusPage } from './rules/status-page.ts'
import { type Roles, type Running, runRoles, stopInTurn } from './run-roles.ts'
import { writeServiceNote } from './service-file.ts'

export type RunningService = Running & {
  /** The demo merchant, and whether this start made it. Null: none. */
  demo: { demo: Demo; made: boolean } | null
  /** The link that makes the first administrator. Null when there is an administrator, or an open link for one. */
  first_link: string | null
}

/**
 * Starts the service and resolves when it is ready. `stop` ends it in order: it refuses new requests, answers those
 * in progress, finishes jobs, closes connections, and stops the embedded database last. A start that fails does the same with all that
 * it has started.
 * @param signal aborts the start
 * @param onLost called when another service took over the embedded database, so that this one must end
 * @throws the reason of `signal`
 */
export async function serve(
  config: Config,
  roles: Roles,
  log: Log,
  { signal, onLost }: { signal: AbortSignal; onLost: (error: Error) => void },
): Promise<RunningService> {
  const stops: (() => Promise<unknown>)[] = []
  const stop = () => stopInTurn(stops, log)
  try {
    const resources = await openResources(config, log, { own: true, signal, onLost })
    stops.push(() => resources.close())
    signal.throwIfAborted()
    const demo = roles.api && config.demo ? await makeDemo(config, resources, log) : null
    const metrics = createMetrics()
    const { metrics_host: host, metrics_port: port } = config
    const forStatus = resources.open('status', 1)
    stops.push(() => forStatus.end({ timeout: 5 }))
    const pages = { '/status': statusPage(forStatus, config) }
    const metricsServer = await serveMetrics(metrics, { host, port, pages })
    stops.push(async () => metricsServer.close())
    const running = await runRoles({ roles, config, resources, log, metrics })
    stops.push(running.stop)
    signal.throwIfAborted()
    if (running.address !== null)
      stops.push(await writeServiceNote(config, { address: running.address, pid: process.pid }))
    const first_link = running.address === null ? null : await firstLink(config, resources, running.address, log)
    return { address: running.address, demo, first_link, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A service without an administrator shows a link for the first one when it starts. There is no built-in account. */
async function firstLink(config: Config, resources: Resources, address: string, log: Log): Promise<string | null> {
  if (!hasConsole(config)) return null
  const sql = resources.open('first administrator', 1)
  try {
    const invited = await inviteFirstAdministrator({ sql, clock: createClock() })
    if (invited.kind === 'by_command') {
      log.info(
        'people: no administrator has signed in yet, open the link that was shown or make another with bandama person invite --role administrator',
      )
    }
    if (invited.kind !== 'invited') return null
    return `${signInOrigin(config, true, config.public_url ?? address)}${linkPath(invited.link)}`
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Makes the demo merchant if there is none, before the service answers requests. */
async function makeDemo(config: Config, resources: Resources, log: Log): Promise<RunningService['demo']> {
  const known = await readDemo(config)
  if (known !== null) return { demo: known, made: false }
  const sql = resources.open('demo', 1)
  const egress = createEgress({ allow: config.egress_allow })
  const clock = createClock()
  const databaseClock = await followDatabaseClock(sql, clock, log)
  try {
    const demo = await createDemo({ config, sql, clock, secretKey: resources.secretKey, egress })
    return demo === null ? null : { demo, made: true }
  } finally {
    await databaseClock.stop()
    await egress.close()
    await sql.end({ timeout: 5 })
  }
}
