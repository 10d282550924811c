import { openResources, type Resources } from '../app/open-database.ts'
import { type Clock, createClock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import type { Egress } from '../platform/egress/post.ts'
import { createLog, type Log } from '../platform/log.ts'
import type { Db, Sql } from '../platform/postgres/database.ts'
import type { Secret } from '../values/secret.ts'

/** The resources of a command. The database is opened when it is first asked for. */
export type CommandContext = {
  config: Config
  log: Log
  clock: Clock
  sql(): Promise<Sql>
  /** Where reads go that only look. */
  reads(): Promise<Db>
  secretKey(): Promise<Secret>
  egress(): Promise<Egress>
  /** Says something after the answer, on standard error. */
  advise(text: string): void
  close(): Promise<void>
}

/** Commands keep standard output for their answer, so only what goes badly is logged, on standard error. */
export function openCommandContext(config: Config): CommandContext {
  const log = createLog('error', 'bandama command', process.stderr)
  const advice: string[] = []
  let resources: Promise<Resources> | undefined
  let sql: Sql | undefined
  let reads: ReturnType<Resources['openReads']> | undefined
  let egress: Promise<Egress> | undefined
  const opened = () => {
    resources ??= openResources(config, log, { own: false })
    return resources
  }
  return {
    config,
    log,
    clock: createClock(),
    async sql() {
      const { open } = await opened()
      sql ??= open('command', 2)
      return sql
    },
    async reads() {
      reads ??= (await opened()).openReads(await this.sql())
      return reads.reads
    },
    secretKey: async () => (await opened()).secretKey,
    egress() {
      // Loaded here, because few commands call anybody.
      egress ??= import('../platform/egress/post.ts').then(({ createEgress }) =>
        createEgress({ allow: config.egress_allow, loopback_http: config.egress_loopback_http }),
      )
      return egress
    },
    advise: (text) => void advice.push(text),
    async close() {
      for (const text of advice.splice(0)) process.stderr.write(`${text}\n`)
      // One that could not be made was already heard of.
      await (await egress?.catch(() => undefined))?.close()
      await reads?.end()
      await sql?.end()
      await (await resources)?.close()
    },
  }
}
