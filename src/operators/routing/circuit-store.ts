import type { Db } from '../../platform/postgres/database.ts'

/** Replaces the connectors that a process refuses, each for `ms` milliseconds. */
export async function writeRefusing(
  db: Db,
  process: string,
  refusing: readonly { connector: string; ms: number }[],
): Promise<void> {
  const names = refusing.map(({ connector }) => connector)
  // Also deletes the expired rows of processes that have died.
  await db`
    delete from connector_circuits
     where refuses_until <= clock_now()
        or (process = ${process} and connector <> all(${names}::text[]))`
  if (refusing.length === 0) return
  // Durations, because the processes share only the database's clock.
  const durations = refusing.map(({ ms }) => Math.ceil(ms))
  await db`
    insert into connector_circuits (connector, process, refuses_until)
    select r.connector, ${process}, clock_now() + r.ms * interval '1 millisecond'
      from unnest(${names}::text[], ${durations}::integer[]) as r(connector, ms)
        on conflict (connector, process)
        do update set refuses_until = excluded.refuses_until`
}

/** The connectors that any process refuses now. */
export async function readRefusing(db: Db): Promise<string[]> {
  const rows = await db<{ connector: string }[]>`
    select distinct connector
      from connector_circuits
     where refuses_until > clock_now()`
  return rows.map(({ connector }) => connector)
}
