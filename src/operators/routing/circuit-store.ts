import type { Db } from '../../platform/postgres/database.ts'
import { given } from '../../platform/postgres/rows.ts'

/** Writes the connectors that a process refuses now, each for so many milliseconds, in place of those that it refused before. */
export async function writeRefusing(
  db: Db,
  process: string,
  refusing: readonly { connector: string; ms: number }[],
): Promise<void> {
  const names = refusing.map(({ connector }) => connector)
  // With those of processes that have died.
  await db`
    delete from connector_circuits
     where refuses_until <= clock_now()
        or (process = ${process} and connector <> all(${names}::text[]))`
  // By the database's clock: a duration travels as a moment after 1970, because `given` has the types of the columns.
  const rows = refusing.map(({ connector, ms }) => ({ connector, process, refuses_until: new Date(ms) }))
  if (rows.length === 0) return
  await db`
    insert into connector_circuits (connector, process, refuses_until)
    select connector, process, clock_now() + (refuses_until - to_timestamp(0))
      from ${given(db, 'connector_circuits c', rows, ['connector', 'process', 'refuses_until'])}
        on conflict (connector, process)
        do update set refuses_until = excluded.refuses_until`
}

/** The connectors that a process refuses now. */
export async function readRefusing(db: Db): Promise<string[]> {
  const rows = await db<{ connector: string }[]>`
    select distinct connector
      from connector_circuits
     where refuses_until > clock_now()`
  return rows.map(({ connector }) => connector)
}
