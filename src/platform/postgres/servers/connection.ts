import type { Socket } from 'node:net'
import pg from 'pg'

/** Milliseconds after which the server ends a statement, so that one stuck caller never blocks the others. */
const TIMEOUTS = { statement_timeout: 5_000, lock_timeout: 2_000, idle_in_transaction_session_timeout: 10_000 }

// Every statement of the service finds its rows by a key. Without these settings a prepared statement that was planned for an empty
// table would still scan the whole table when it has a million rows.
const PLANNER = { enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off', jit: 'off' }

/**
 * A statement uses one core, so that a page of one merchant never takes the cores that others' payments need. The planner overestimates
 * the number of rows for an unknown identifier, and starting parallel workers took 20 ms for a page of a hundred rows.
 */
const CORES = { max_parallel_workers_per_gather: '0' }

/** The settings of each session, from its start. */
export const sessionSettings: pg.ClientConfig = {
  ...TIMEOUTS,
  options: Object.entries({ ...PLANNER, ...CORES })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' '),
}

/** The most milliseconds until a server accepts a connection. */
export const CONNECT_MS = 5_000

/** A connection that sends statements without waiting for earlier answers, so that those of a transaction are sent together. */
export class Connection extends pg.Client {
  /** The URL of its server. */
  readonly server: string
  /** Whether it was closed because the server did not answer for too long. */
  silent = false

  /** @param config the settings, with `current`, which returns the URL to connect to */
  constructor(config: pg.ClientConfig & { current(): string }) {
    const { current, ...rest } = config
    const server = current()
    super({
      ...rest,
      connectionString: server,
      connectionTimeoutMillis: CONNECT_MS,
      pipeline: true,
    } as pg.ClientConfig)
    this.server = server
  }

  /**
   * Closes the connection if `answered` does not settle within `milliseconds`, because a machine that is down sends nothing at all. The
   * second timer gives a process that was frozen the time to read the answers that arrived meanwhile.
   */
  watch(milliseconds: number, answered: Promise<unknown>): void {
    let timer = setTimeout(() => {
      timer = setTimeout(() => {
        this.silent = true
        destroyConnection(this)
      }, 1)
    }, milliseconds)
    const stop = () => clearTimeout(timer)
    answered.then(stop, stop)
  }
}

/** Closes a connection at once. Nobody knows then whether its running statements were executed. */
export function destroyConnection(client: pg.ClientBase): void {
  ;(client as unknown as { connection: { stream: Socket } }).connection.stream.destroy()
}
