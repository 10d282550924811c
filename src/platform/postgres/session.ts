import pg from 'pg'
import { cut } from './connection.ts'
import type { Servers } from './servers.ts'

/**
 * A connection of its own, outside any pool, for what belongs to a session: `listen`, and locks that last as long as it
 * does. When its server is no longer the one, it is cut, which ends it with `error`.
 */
export async function openSession(servers: Servers, config: pg.ClientConfig): Promise<pg.Client> {
  const server = servers.current()
  const client = new pg.Client({ ...config, connectionString: server })
  client.on('error', () => {})
  try {
    await client.connect()
    await servers.admit?.(client, server)
  } catch (error) {
    cut(client)
    await servers.doubt()
    throw error
  }
  const forget = servers.onGone((isGone) => {
    if (isGone(server)) cut(client)
  })
  client.once('end', forget)
  return client
}
