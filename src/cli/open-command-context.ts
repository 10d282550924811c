import { adjustToDatabase } from '../app/database-clock.ts'
import { openResources, type Resources } from '../app/open-database.ts'
import { createClock } from '../platform/clock.ts'
import { type Config, proxyOf } from '../platform/config.ts'
import type { Egress } from '../platform/egress/post.ts'
import { createLog } from '../platform/log.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { normalizePerson } from '../values/independent-approver.ts'
import { CommandError, readBreakGlass } from './command.ts'
import type { CommandContext } from './command-context.ts'

/**
 * Commands keep standard output for their answer, so only errors are logged, on standard error.
 * @param stderr of the command, which also takes its advice
 */
export function openCommandContext(config: Config, stderr: NodeJS.WritableStream): CommandContext {
  const log = createLog('error', 'bandama command', stderr)
  const advice: string[] = []
  let resources: Promise<Resources> | undefined
  let sql: Sql | undefined
  let adjusted: Promise<unknown> | undefined
  const clock = createClock()
  let reads: ReturnType<Resources['openReads']> | undefined
  let egress: Promise<Egress> | undefined
  const opened = () => {
    resources ??= openResources(config, log, { own: false })
    return resources
  }
  return {
    config,
    log,
    clock,
    async sql() {
      const { open } = await opened()
      sql ??= open('command', 2)
      // A command decides by the database's time too, such as on the fee of a payout that it approves.
      adjusted ??= adjustToDatabase(sql, clock)
      await adjusted
      return sql
    },
    async reads() {
      reads ??= (await opened()).openReads(await this.sql())
      return reads.reads
    },
    secretKey: async () => (await opened()).secretKey,
    egress() {
      // Loaded here, because few commands make network calls.
      egress ??= import('../platform/egress/post.ts').then(({ createEgress }) =>
        createEgress({
          allow: config.egress_allow,
          loopback_http: config.egress_loopback_http,
          proxy: proxyOf(config),
        }),
      )
      return egress
    },
    signedIn: null,
    proof: null,
    actor(as) {
      if (this.signedIn === null) return readBreakGlass(as)
      const { email: person } = this.signedIn.person
      if (as !== undefined && normalizePerson(as) !== person) {
        throw new CommandError(`You are signed in as ${person} and cannot act as somebody else. Leave --as out.`)
      }
      return { person, door: 'command_line', from: null, step_up_id: null }
    },
    advise: (text) => void advice.push(text),
    async close() {
      for (const text of advice.splice(0)) stderr.write(`${text}\n`)
      // A failure to create it was reported when it was used.
      await (await egress?.catch(() => undefined))?.close()
      await reads?.end()
      await sql?.end()
      await (await resources)?.close()
    },
  }
}
