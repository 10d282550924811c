import pg from 'pg'
import { PostgresError, READ_ONLY } from '../failures.ts'
import { CONNECT_MS, destroyConnection } from './connection.ts'

/**
 * The servers of a URL, one of which accepts writes: `postgres://user@one:5432,two:5432/name`, in the format of PostgreSQL's own
 * programs. We try them in this order.
 */
export type Servers = {
  readonly count: number
  /** The URL to connect to now. */
  current(): string
  /** Changes to the next server, because this one failed. */
  leave(server: string): void
}

export function openServers(url: string): Servers {
  const servers = serversIn(url)
  let at = 0
  return {
    count: servers.length,
    current: () => servers[at]!,
    leave(server) {
      if (server === servers[at]) at = (at + 1) % servers.length
    },
  }
}

/**
 * Asks the server of a new connection whether it accepts writes, if the URL names another server too.
 * @throws PostgresError (25006) if it does not
 */
export async function assertTakesWrites(client: pg.ClientBase, { count }: Servers): Promise<void> {
  if (count === 1) return
  const { rows } = await client.query('show transaction_read_only')
  if (rows[0].transaction_read_only === 'off') return
  throw new PostgresError({ code: READ_ONLY, message: 'This server does not accept writes.' })
}

/**
 * Opens a connection outside any pool, to the first server that accepts writes.
 * @throws the error of the last server
 */
export async function openSession(url: string, config: pg.ClientConfig): Promise<pg.Client> {
  const servers = openServers(url)
  for (let tries = 1; ; tries += 1) {
    const server = servers.current()
    const client = new pg.Client({ connectionTimeoutMillis: CONNECT_MS, ...config, connectionString: server })
    client.on('error', () => {})
    try {
      await client.connect()
      await assertTakesWrites(client, servers)
      return client
    } catch (error) {
      destroyConnection(client)
      if (tries === servers.count) throw error
      servers.leave(server)
    }
  }
}

/** The scheme, the user, the hosts with their ports, and the rest. */
const PARTS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]*)(.*)$/s

/**
 * Returns the URL of each server, without `target_session_attrs`, because our code chooses the server.
 * @throws TypeError if one of them is not a URL
 */
export function serversIn(url: string): string[] {
  const [, scheme = '', user = '', hosts = '', rest = ''] = PARTS.exec(url) ?? []
  return hosts.split(',').map((host) => {
    const one = new URL(`${scheme}${user}${host}${rest}`)
    one.searchParams.delete('target_session_attrs')
    return one.href
  })
}

/** Whether a URL asks for a server that accepts writes, the only kind that we support. */
export function asksForWrites(url: string): boolean {
  const asked = new URL(`postgres://server${PARTS.exec(url)?.[4] ?? ''}`).searchParams.get('target_session_attrs')
  return asked === null || asked === 'read-write' || asked === 'primary'
}

/** `db.example:5432` or the folder of a socket, of all servers. Never the user or the name of the database. */
export function addressOf(url: string): string {
  return serversIn(url)
    .map((one) => {
      const { hostname, port, searchParams } = new URL(one)
      return hostname === '' ? (searchParams.get('host') ?? 'this machine') : `${hostname}:${port || '5432'}`
    })
    .join(', ')
}
