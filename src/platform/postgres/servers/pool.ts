import pg from 'pg'
import { parserOf } from '../driver/parse-values.ts'
import { failureOf, isConnectionLost, isReadOnly } from '../failures.ts'
import { Connection, destroyConnection, sessionSettings } from './connection.ts'
import { assertTakesWrites, openServers, type Servers } from './failover.ts'

export type PoolOptions = {
  /** Of one server, or of several, of which the one that takes writes is used. */
  readonly url: string
  /** Connections kept at most. */
  readonly connections: number
  /** Shown in the server's list of activity. */
  readonly name: string
  /** Milliseconds that a server may say nothing, where the URL names another one. */
  readonly answer_ms: number
  /** Done on each new connection that is let in, before anybody has it. */
  readonly onConnected: (connection: pg.ClientBase) => Promise<void>
}

/** Connections to the server that takes writes, kept for the next statement. */
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
    // The statements that a lost connection fails report it; without this listener the loss of an idle one would end the process.
    connection.on('error', () => {})
    const admitted = assertTakesWrites(connection, this.#servers).then(() => this.#options.onConnected(connection))
    this.watch(connection, admitted)
    // Before the pool hears of it, which would wait for the server to say goodbye.
    await admitted.catch((error) => {
      destroyConnection(connection)
      throw error
    })
  }

  /** Leaves a server. Its connections are cut: their statements would not be answered either. */
  #leaveServer(server: string): void {
    this.#servers.leave(server)
    if (this.#servers.count === 1) return
    for (const connection of this.#connections) if (connection.server === server) destroyConnection(connection)
  }

  /**
   * A connection, given back by its `release`. Tries the servers one after the other: nothing was sent yet, so nobody need be told.
   * @throws ConnectionLost, or PostgresError that refuses the connection
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
        // That one is there and takes no writes says more than that another is away.
        if (failures.length === this.#servers.count) throw failures.find(isReadOnly) ?? failure
        this.#servers.leave(server)
      }
    }
  }

  /** Where there is another server to go to, nobody waits for one that says nothing. */
  watch(connection: pg.ClientBase, answered: Promise<unknown>): void {
    const { answer_ms } = this.#options
    if (this.#servers.count > 1 && Number.isFinite(answer_ms)) (connection as Connection).watch(answer_ms, answered)
  }

  /** Closes the pool when the statements under way have ended, or after `timeout` seconds in any case; null: it waits for them. */
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
