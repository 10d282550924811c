import { setTimeout as sleep } from 'node:timers/promises'

import type { Sql } from '../database.ts'
import { isConnectionLost, isReadOnly, PostgresError } from '../failures.ts'
import { addressOf } from './failover.ts'

/** The database is unusable. The message names it and the reason, for the person who set DATABASE_URL. */
export class DatabaseUnreachableError extends Error {
  override name = 'DatabaseUnreachableError'
}

/** The reasons for which a server refuses a connection, by SQLSTATE. */
const connectionErrors: Record<string, string> = {
  '28000': 'does not let this user in',
  '28P01': 'does not take this user and password',
  '3D000': 'has no database of this name',
}

/** The way out of a pooler that breaks the service, for the end of a sentence. */
export const POOLER_ADVICE =
  'give the address of PostgreSQL itself, or use session mode and let startup parameters pass'

/** PgBouncer refuses a connection with parameters that it does not know. Other complaints of it have the same code. */
function saysOfPooler({ code, message }: PostgresError): string | undefined {
  if (code !== '08P01' || !/unsupported startup parameter/i.test(message)) return undefined
  return `is behind a pooler that refuses the settings of connections: ${POOLER_ADVICE}`
}

/**
 * Asks the database for a first answer, and gives up after `timeout_ms`. Without the limit the driver would try for ever if another
 * program at this address accepts connections and drops them.
 * @throws DatabaseUnreachableError without user, password or name of the database
 */
export async function checkConnection(sql: Sql, url: string, timeout_ms = 10_000): Promise<void> {
  const cancel = new AbortController()
  const late = sleep(timeout_ms, 'late' as const, { signal: cancel.signal }).catch(() => null)
  const answer = sql`select`.then(
    () => null,
    (error: unknown) => {
      const says = error instanceof PostgresError ? (connectionErrors[error.code] ?? saysOfPooler(error)) : undefined
      if (says !== undefined) return says
      if (isConnectionLost(error)) return isReadOnly(error) ? 'has no server that takes writes' : 'cannot be reached'
      throw error
    },
  )
  const outcome = await Promise.race([answer, late])
  cancel.abort()
  if (outcome === null) return
  const says = outcome === 'late' ? 'cannot be reached' : outcome
  throw new DatabaseUnreachableError(`The database at ${addressOf(url)} ${says}.`)
}
