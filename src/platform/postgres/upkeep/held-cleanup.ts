import { Gauge, type Registry as Metrics } from 'prom-client'
import type { Log } from '../../log.ts'
import type { Sql } from '../database.ts'

/** Seconds for which somebody may keep dead rows before a person should look. A dump of a large database takes a while. */
const WARN_SECONDS = 1_800

/** The one for whose sake the database keeps dead rows: a session, a prepared transaction, or a replication slot that nobody reads. */
type Holder = { held_by: string; name: string; seconds: number }

/**
 * Reads the holder that has waited longest. Null when there is none. Sessions of other roles are seen with the rights of `pg_read_all_stats` alone.
 */
async function readHolder(sql: Sql): Promise<Holder | null> {
  const [holder] = await sql<Holder[]>`
    select h.held_by, h.name, extract(epoch from clock_timestamp() - h.since)::double precision as seconds
      from (select 'session' as held_by, concat_ws(' ', a.pid, a.usename, a.application_name) as name, a.xact_start as since
              from pg_stat_activity a
             where a.datname = current_database() and a.backend_type = 'client backend' and a.pid <> pg_backend_pid()
               and (a.backend_xmin is not null or a.backend_xid is not null)
            union all
            select 'prepared transaction', p.gid, p.prepared
              from pg_prepared_xacts p
             where p.database = current_database()
            union all
            -- Since PostgreSQL 17 a slot says when its reader left.
            select 'replication slot', s.slot_name, (to_jsonb(s) ->> 'inactive_since')::timestamptz
              from pg_replication_slots s
             where not s.active and (s.xmin is not null or s.catalog_xmin is not null)) h
     where h.since is not null
     order by h.since
     limit 1`
  return holder ?? null
}

/**
 * Creates the watch over those who keep the database from removing dead rows. All tables grow meanwhile, and each read of them takes longer. Call it
 * every minute or so. @param warn_seconds after which the log names the holder once
 */
export function watchCleanup(
  { log, metrics }: { log: Pick<Log, 'info' | 'warn'>; metrics: Metrics },
  warn_seconds = WARN_SECONDS,
): (sql: Sql) => Promise<void> {
  const held = new Gauge({
    name: 'bandama_cleanup_held_seconds',
    help: 'Seconds for which somebody has kept the database from removing dead rows; 0 when nobody does.',
    registers: [metrics],
  })
  let told: string | null = null
  return async (sql) => {
    const holder = await readHolder(sql)
    held.set(holder?.seconds ?? 0)
    const late = holder !== null && holder.seconds >= warn_seconds ? holder : null
    const name = late === null ? null : `${late.held_by} ${late.name}`
    if (told === name) return
    told = name
    if (late === null) log.info('postgres: dead rows can be removed again')
    else
      log.warn(
        { held_by: late.held_by, name: late.name, seconds: Math.round(late.seconds) },
        'postgres: somebody keeps the database from removing dead rows, all tables grow until it ends',
      )
  }
}
