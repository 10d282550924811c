import { setTimeout as sleep } from 'node:timers/promises'

import type { Sql } from './database.ts'
import { isConnectionLost, PostgresError } from './failures.ts'
import { openServers, type Servers } from './servers.ts'

/** The database cannot be used at all. The message says which one and why, in words for whoever set DATABASE_URL. */
export class DatabaseUnreachableError extends Error {
  override name = 'DatabaseUnreachableError'
}

/** What a server says to a stranger at its door, by the code of its complaint. */
const atTheDoor: Record<string, string> = {
  '28000': 'does not let this user in',
  '28P01': 'does not take this user and password',
  '3D000': 'has no database of this name',
}

/**
 * Asks the database for a first answer, and gives up after `patience_ms`: something may stand at its address that takes
 * connections and drops them, for which the driver would try for ever.
 * @throws DatabaseUnreachableError without user, password or name of the database
 */
export async function reachDatabase(sql: Sql, at: string | Servers, patience_ms = 10_000): Promise<void> {
  const servers = typeof at === 'string' ? openServers(at) : at
  const address = servers.address
  // Where there are several, one of them may be about to be promoted.
  const found = await servers.ready(patience_ms)
  if (typeof at === 'string') await servers.close()
  const cancel = new AbortController()
  const late = sleep(patience_ms, 'late' as const, { signal: cancel.signal }).catch(() => null)
  const answer = sql`select`.then(
    () => null,
    (error: unknown) => {
      const says = error instanceof PostgresError ? atTheDoor[error.code] : undefined
      if (says !== undefined) return says
      if (isConnectionLost(error)) return found ? 'cannot be reached' : 'has no server that takes writes'
      throw error
    },
  )
  const outcome = await Promise.race([answer, late])
  cancel.abort()
  if (outcome === null) return
  const says = outcome === 'late' ? 'cannot be reached' : outcome
  throw new DatabaseUnreachableError(`The database at ${address} ${says}.`)
}
