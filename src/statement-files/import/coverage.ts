import type { Db } from '../../platform/postgres/database.ts'
import type { Period } from '../../values/period.ts'
import type { AccountKey } from './statement-file.ts'

/** A time for which the files of an account are complete, `begins` included and `ends` not, as ISO 8601; and the days that it touches. */
export type Covered = {
  readonly begins: string
  readonly ends: string
  readonly first_day: string
  readonly last_day: string
}

/**
 * The times for which the counted files of an account are complete, merged where they touch. A file whose person named a period that was over is complete for it;
 * any other from its first to its last line.
 */
export async function readCoverage(
  db: Db,
  { livemode, account }: AccountKey,
  { from, to }: Period,
): Promise<Covered[]> {
  const rows = await db<Covered[]>`
    select to_char(c.begins at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as begins,
           to_char(c.ends at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as ends,
           c.first_day::text, c.last_day::text
      from (select case when f.period_to < (f.imported_at at time zone 'UTC')::date then f.period_from::timestamp at time zone 'UTC'
                        else (select min(l.occurred_at)
                                from statement_lines l
                               where l.livemode = f.livemode and l.account = f.account and l.day = f.first_day
                                 and l.month = date_trunc('month', f.first_day) and l.state <> 'withdrawn') end as begins,
                   case when f.period_to < (f.imported_at at time zone 'UTC')::date then (f.period_to + 1)::timestamp at time zone 'UTC'
                        else (select max(l.occurred_at) + interval '1 millisecond'
                                from statement_lines l
                               where l.livemode = f.livemode and l.account = f.account and l.day = f.last_day
                                 and l.month = date_trunc('month', f.last_day) and l.state <> 'withdrawn') end as ends,
                   coalesce(f.period_from, f.first_day) as first_day, coalesce(f.period_to, f.last_day) as last_day
              from statement_files f
             where f.livemode = ${livemode} and f.account = ${account} and f.status = 'counted'
               and coalesce(f.period_to, f.last_day) >= ${from}::date and coalesce(f.period_from, f.first_day) <= ${to}::date) c
     where c.begins is not null and c.ends is not null
     order by c.begins, c.ends`
  const merged: Covered[] = []
  for (const row of rows) {
    const before = merged.at(-1)
    if (before === undefined || row.begins > before.ends) merged.push(row)
    else
      merged[merged.length - 1] = {
        ...before,
        ends: row.ends > before.ends ? row.ends : before.ends,
        first_day: row.first_day < before.first_day ? row.first_day : before.first_day,
        last_day: row.last_day > before.last_day ? row.last_day : before.last_day,
      }
  }
  return merged
}
