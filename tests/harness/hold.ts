import type { Sql, Tx } from '../../src/platform/postgres/database.ts'
import { isCitus } from './citus.ts'
import { waitFor } from './wait-for.ts'

/** The longest that a patient service waits for a lock. It is longer than any test holds one. */
const PATIENCE_MS = '60000'

/**
 * Returns the URL of a database for a service that waits for the locks that a test holds. Its two seconds would otherwise be the time that the
 * test has, also on a busy machine.
 */
export function patient(url: string): string {
  const longer = new URL(url)
  for (const limit of ['lock_timeout', 'statement_timeout']) longer.searchParams.set(limit, PATIENCE_MS)
  return longer.href
}

export type Held = AsyncDisposable & { letGo(): Promise<void> }

/**
 * Holds the locks of `lock` until they are released, longer than the server's idle timeout.
 * @param options the options of `begin`, such as 'isolation level repeatable read'
 */
export async function hold(sql: Sql, lock: (tx: Tx) => PromiseLike<unknown>, options = ''): Promise<Held> {
  const released = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = sql.begin(options, async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`
    await lock(tx)
    locked.resolve()
    await released.promise
  })
  await Promise.race([locked.promise, holding])
  const letGo = async () => {
    released.resolve()
    await holding
  }
  return { letGo, [Symbol.asyncDispose]: letGo }
}

/** PostgreSQL regular expressions for the name and the statement of a session. Absent: any. */
export type Waiters = { name?: string; statement?: string }

/** Counts the sessions of the database that wait for a lock, on all servers. */
export async function countWaiting(sql: Sql, { name = '', statement = '' }: Waiters = {}): Promise<number> {
  const [row] = await sql<{ waiting: number }[]>`
    select count(*)::int as waiting
      from ${activity(sql)} s
     where datname = current_database() and wait_event_type = 'Lock'
       and application_name ~ ${name} and query ~ ${statement}`
  return row!.waiting
}

/** The sessions of clients. In a cluster, a session that waits on another server is one of the coordinator's, with a name of Citus. */
function activity(sql: Sql) {
  if (!isCitus) return sql`pg_stat_activity`
  return sql`(
    select distinct on (global_pid) s.datname, s.application_name, s.query, w.wait_event_type
      from citus_stat_activity w
      join citus_stat_activity s using (global_pid)
     where not s.is_worker_query
     order by global_pid, w.wait_event_type = 'Lock' desc)`
}

/** Resolves when `count` sessions, or one, wait for a lock. */
export async function untilWaiting(
  sql: Sql,
  { count = 1, ...waiters }: Waiters & { count?: number } = {},
): Promise<void> {
  const what = `${count} to wait for a lock ${JSON.stringify(waiters)}`
  await waitFor(async () => (await countWaiting(sql, waiters)) >= count, { what })
}
