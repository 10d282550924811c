import type { Socket } from 'node:net'
import pg from 'pg'

// The settings of every connection of a pool, and how a pool's connections are made.

/** Milliseconds. One stuck caller never holds the others: the server ends what takes longer. */
const TIMEOUTS = { statement_timeout: 5_000, lock_timeout: 2_000, idle_in_transaction_session_timeout: 10_000 }

// Every statement of the service reaches its rows by a key. Left to guess, the planner of a prepared statement that first
// met an empty table goes on reading it whole when it holds a million rows.
const PLANNER = { enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off', jit: 'off' }

/**
 * One statement has one core at most: a page of one merchant never takes the cores that the payments of others need. The planner overestimates
 * the rows behind an identifier that it does not know, and starting workers took 20 ms of a page that reads a hundred rows.
 */
const CORES = { max_parallel_workers_per_gather: '0' }

/** As each session has them from its start. */
export const sessionSettings: pg.ClientConfig = {
  ...TIMEOUTS,
  options: Object.entries({ ...PLANNER, ...CORES })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' '),
}

/** Milliseconds for a server to let a connection in. */
export const CONNECT_MS = 5_000

/** Sends statements without waiting for the answers of those before: a transaction's few travel together. */
export class Connection extends pg.Client {
  /** The URL of the server that it was opened to. */
  readonly server: string
  /** It was given up because the server said nothing for too long. */
  silent = false

  /** @param config with `current`, which knows where to connect to */
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
   * Gives the connection up when `answered` does not come within `milliseconds`: a machine that is gone says nothing at all. A process of
   * ours that stood still reads first what came meanwhile.
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

/** Ends a connection at once, whatever is under way on it: nobody knows what became of that. */
export function destroyConnection(client: pg.ClientBase): void {
  ;(client as unknown as { connection: { stream: Socket } }).connection.stream.destroy()
}
