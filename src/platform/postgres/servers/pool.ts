import pg from 'pg'
import { parserOf } from '../driver/parse-values.ts'
import { failureOf, isConnectionLost, isReadOnly } from '../failures.ts'
import { Connection, destroyConnection, sessionSettings } from './connection.ts'
import { assertTakesWrites, openServers, type Servers } from './failover.ts'

export type PoolOptions = {
  /** The URL of one server, or of several: the pool uses the one that accepts writes. */
  readonly url: string
  /** The most connections. */
  readonly connections: number
  /** The name of our connections in `pg_stat_activity`. */
  readonly name: string
  /** Milliseconds after which the pool leaves a silent server, if the URL names another one. */
  readonly answer_ms: number
  /** Called with each new connection, before a caller gets it. */
  readonly onConnected: (connection: pg.ClientBase) => Promise<void>
}

/** A pool of connections to the server that accepts writes. */
export class ConnectionPool {
  readonly #options: PoolOptions
  readonly #servers: Servers
  readonly #pool: pg.Pool
  readonly #connections = new Set<Connection>()
  #ended: Promise<void> | undefined

  constructor(options: PoolOptions) {
    this.#options = options
    this.#servers = openServers(options.url)
    this.#pool = new pg.Pool({
      Client: Connection as never,
      current: this.#servers.current,
      max: options.connections,
      idleTimeoutMillis: 0,
      application_name: options.name,
      ...sessionSettings,
      keepAlive: true,
      types: { getTypeParser: parserOf },
      onConnect: (connection: Connection) => this.#greet(connection),
    } as unknown as pg.PoolConfig)
    this.#pool.on('error', () => {})
  }

  async #greet(connection: Connection): Promise<void> {
    this.#connections.add(connection)
    connection.once('end', () => {
      this.#connections.delete(connection)
      if (connection.silent) this.#leaveServer(connection.server)
    })
    // The statements of a lost connection report the loss. Without this listener the loss of an idle connection would end the process.
    connection.on('error', () => {})
    const admitted = assertTakesWrites(connection, this.#servers).then(() => this.#options.onConnected(connection))
    this.watch(connection, admitted)
    // Before the pool gets the error, because the pool would wait for the server to close the connection.
    await admitted.catch((error) => {
      destroyConnection(connection)
      throw error
    })
  }

  /** Leaves a server, and closes all connections to it, because it would not answer their statements either. */
  #leaveServer(server: string): void {
    this.#servers.leave(server)
    if (this.#servers.count === 1) return
    for (const connection of this.#connections) if (connection.server === server) destroyConnection(connection)
  }

  /**
   * Returns a connection; call its `release` afterwards. Tries the servers one after the other, because no statement was sent yet.
   * @throws ConnectionLost, or the PostgresError with which a server refuses the connection
   */
  async connect(): Promise<pg.PoolClient> {
    const failures: unknown[] = []
    for (;;) {
      const server = this.#servers.current()
      try {
        return await this.#pool.connect()
      } catch (error) {
        const failure = failureOf(error)
        if (!isConnectionLost(failure)) throw failure
        failures.push(failure)
        // "Server one is read-only" tells more than "server two is unavailable".
        if (failures.length === this.#servers.count) throw failures.find(isReadOnly) ?? failure
        this.#servers.leave(server)
      }
    }
  }

  /** Limits the wait for a silent server, if there is another server. */
  watch(connection: pg.ClientBase, answered: Promise<unknown>): void {
    const { answer_ms } = this.#options
    if (this.#servers.count > 1 && Number.isFinite(answer_ms)) (connection as Connection).watch(answer_ms, answered)
  }

  /** Closes the pool when the running statements have ended, or after `timeout` seconds. Null: no time limit. */
  end(timeout: number | null): Promise<void> {
    this.#ended ??= this.#drain(timeout)
    return this.#ended
  }

  async #drain(timeout: number | null): Promise<void> {
    const drained = this.#pool.end()
    if (timeout === null) return drained
    const timer = setTimeout(() => {
      for (const connection of this.#connections) destroyConnection(connection)
    }, timeout * 1_000)
    await drained.finally(() => clearTimeout(timer))
  }
}
