import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Secret } from '../../words/secret.ts'
import type { Log } from '../log.ts'
import { EmbeddedPostgresError } from './embedded-account.ts'
import { openCluster } from './embedded-cluster.ts'
import { addressOf, DataDirTaken, joinServer, leaveServer } from './embedded-member.ts'
import type { Settings } from './embedded-server.ts'

export { EmbeddedPostgresError }

export type EmbeddedOptions = {
  dataDir: string
  log: Log
  /**
   * True for the service: one at a time on a DATA_DIR, and it starts the server again when that dies. False for a
   * command, which uses the running server or has one for as long as it takes.
   */
  own: boolean
  /** Settings of the server over the usual ones, when it is we who start it. For tests. */
  settings?: Settings
  /** The server died and another service took DATA_DIR before we came back: there is nothing to go on with. */
  onLost?: (error: EmbeddedPostgresError) => void
}

export type EmbeddedPostgres = {
  /** Of the service's database. It stays the same when the server is started again. */
  url: Secret
  /** Leaves the server; whoever leaves it last stops it. To be called when all other connections are closed. */
  stop(): Promise<void>
}

const DATABASE = 'bandama'

/**
 * Gives the PostgreSQL of a DATA_DIR: made, started, or found running after a crash of ours.
 * @throws EmbeddedPostgresError when another service has DATA_DIR, or when it cannot be served; the message says why
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log, own, settings = {}, onLost } = options
  const cluster = await openCluster(dataDir)
  const leaving = new AbortController()
  const { signal } = leaving
  let member = await joinServer(cluster, { own, settings, port: null, signal })
  const { port } = member
  await ensureDatabase(member.connection).catch(async (error: unknown) => {
    await leaveServer(cluster, member)
    throw error
  })
  log.debug({ port, server_pid: member.server_pid }, 'embedded database ready')

  let rejoining: Promise<void> = Promise.resolve()

  async function rejoin(): Promise<void> {
    for (let wait = 100; !signal.aborted; wait = Math.min(wait * 2, 5_000)) {
      try {
        member = await joinServer(cluster, { own, settings, port, signal })
        log.warn({ server_pid: member.server_pid }, 'the embedded database is back')
        supervise()
        return
      } catch (error) {
        if (signal.aborted) return
        log.error({ error }, 'the embedded database does not come back')
        if (error instanceof DataDirTaken) {
          onLost?.(error)
          return
        }
        await sleep(wait)
      }
    }
  }

  function supervise(): void {
    void member.lost.then(() => {
      if (signal.aborted) return
      log.error({ server_pid: member.server_pid }, 'the embedded database went away')
      rejoining = rejoin()
    })
  }

  if (own) supervise()
  let stopped: Promise<void> | undefined
  return {
    url: new Secret(addressOf(cluster, port, DATABASE)),
    stop() {
      leaving.abort()
      stopped ??= rejoining.then(() => leaveServer(cluster, member))
      return stopped
    },
  }
}

/** Made apart from the cluster, because that takes a connection. Two processes may come to it at once. */
async function ensureDatabase(connection: pg.Client): Promise<void> {
  const found = await connection.query('select from pg_database where datname = $1', [DATABASE])
  if (found.rowCount === 1) return
  await connection.query(`create database ${DATABASE}`).catch((error: unknown) => {
    const raced = error instanceof pg.DatabaseError && ['42P04', '23505'].includes(error.code ?? '')
    if (!raced) throw error
  })
}
