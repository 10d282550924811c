import type pg from 'pg'
import { DatabaseUnreachableError, POOLER_ADVICE } from './check-connection.ts'
import { destroyConnection, sessionSettings } from './connection.ts'
import { addressOf, openSession } from './failover.ts'

/** Times that each of the two connections is asked. A pooler that is busy with others may give both the same server twice. */
const ROUNDS = 3

/**
 * Refuses a pooler that would break the service: prepared statements, session settings and advisory locks belong to a connection to the server.
 * A pooler that shares such connections between transactions shows the same server process to two clients, or two to one client. One that
 * drops the settings of a connection leaves statements without their time limit.
 * @throws DatabaseUnreachableError in one sentence; any error of a connection that has another cause
 */
export async function checkPooler(url: string): Promise<void> {
  const refuse = (what: string): never => {
    throw new DatabaseUnreachableError(
      `The database at ${addressOf(url)} is behind a pooler that ${what}: ${POOLER_ADVICE}.`,
    )
  }
  const clients: pg.Client[] = []
  try {
    for (const _ of [1, 2])
      clients.push(await openSession(url, { ...sessionSettings, application_name: 'bandama start' }))
    const seen = clients.map(() => new Set<number>())
    let dropped = false
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [at, client] of clients.entries()) {
        const { pid, limited } = await ask(client)
        seen[at]!.add(pid)
        dropped ||= !limited
      }
    }
    const shown = seen.flatMap((pids) => [...pids])
    if (shown.length > clients.length || new Set(shown).size < shown.length)
      refuse('shares connections between transactions')
    if (dropped) refuse('drops the settings of connections, such as statement_timeout')
  } finally {
    for (const client of clients) destroyConnection(client)
  }
}

/** One transaction, without a prepared statement: the process that served it, and whether our settings are in force there. */
async function ask(client: pg.Client): Promise<{ pid: number; limited: boolean }> {
  const { rows } = await client.query(`
    select pg_backend_pid() as pid, current_setting('statement_timeout') <> '0' as limited`)
  return rows[0]
}
