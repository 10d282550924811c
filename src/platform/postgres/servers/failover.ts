import pg from 'pg'
import { PostgresError, READ_ONLY } from '../failures.ts'
import { CONNECT_MS, destroyConnection } from './connection.ts'

/**
 * The servers that a URL names, of which one takes writes: `postgres://user@one:5432,two:5432/name`, as PostgreSQL's own programs
 * take them. They are tried in this order.
 */
export type Servers = {
  readonly count: number
  /** The URL to connect to now. */
  current(): string
  /** Something is wrong with this server: from now on the next one is tried. */
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
 * Asks a new connection whether its server takes writes, where there is another server to go to.
 * @throws PostgresError (25006) when it does not
 */
export async function assertTakesWrites(client: pg.ClientBase, { count }: Servers): Promise<void> {
  if (count === 1) return
  const { rows } = await client.query('show transaction_read_only')
  if (rows[0].transaction_read_only === 'off') return
  throw new PostgresError({ code: READ_ONLY, message: 'This server does not take writes.' })
}

/**
 * Opens a connection outside any pool, to the first server that takes writes.
 * @throws what the last of them said
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

/** Scheme, who calls, hosts with their ports, and the rest. */
const PARTS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]*)(.*)$/s

/**
 * The servers of a URL, each as a URL of its own, without `target_session_attrs`, which is ours to see to.
 * @throws TypeError when one of them is no address
 */
export function serversIn(url: string): string[] {
  const [, scheme = '', user = '', hosts = '', rest = ''] = PARTS.exec(url) ?? []
  return hosts.split(',').map((host) => {
    const one = new URL(`${scheme}${user}${host}${rest}`)
    one.searchParams.delete('target_session_attrs')
    return one.href
  })
}

/** Whether a URL asks for the server that takes writes, the only kind that we know. */
export function asksForWrites(url: string): boolean {
  const asked = new URL(`postgres://server${PARTS.exec(url)?.[4] ?? ''}`).searchParams.get('target_session_attrs')
  return asked === null || asked === 'read-write' || asked === 'primary'
}

/** `db.example:5432`, or the folder of a socket; of several servers, all. Never who calls, nor the database's name. */
export function addressOf(url: string): string {
  return serversIn(url)
    .map((one) => {
      const { hostname, port, searchParams } = new URL(one)
      return hostname === '' ? (searchParams.get('host') ?? 'this machine') : `${hostname}:${port || '5432'}`
    })
    .join(', ')
}
