import type { Db } from '../../platform/postgres/database.ts'
import { daysBetween, type Period } from '../../values/period.ts'
import type { AccountKey } from './statement-file.ts'

/** A time for which the files of an account are complete, `begins` included and `ends` not, as ISO 8601. */
export type Covered = { readonly begins: string; readonly ends: string }

/** The times for which files of an account are complete, and the days that any of them shows. */
export type Coverage = { readonly times: readonly Covered[]; readonly days: ReadonlySet<string> }

/**
 * Reads for which times the counted files of an account are complete, merged where they touch. A file whose person named a period that was over is complete for it;
 * any other from its own first to its own last line.
 */
export async function readCoverage(db: Db, { livemode, account }: AccountKey, { from, to }: Period): Promise<Coverage> {
  const rows = await db<(Covered & { first_day: string; last_day: string })[]>`
    select to_char(c.begins at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as begins,
           to_char(c.ends at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as ends,
           c.first_day::text, c.last_day::text
      from (select case when o.is_over then f.period_from::timestamp at time zone 'UTC'
                        else coalesce((f.found->>'first_moment')::timestamptz,
                                      (f.first_day + 1)::timestamp at time zone 'UTC') end as begins,
                   case when o.is_over then (f.period_to + 1)::timestamp at time zone 'UTC'
                        else coalesce((f.found->>'last_moment')::timestamptz + interval '1 millisecond',
                                      f.last_day::timestamp at time zone 'UTC') end as ends,
                   case when o.is_over then least(f.period_from, f.first_day) else f.first_day end as first_day,
                   case when o.is_over then greatest(f.period_to, f.last_day) else f.last_day end as last_day
              from statement_files f
             cross join lateral (select coalesce(f.period_to < (f.imported_at at time zone 'UTC')::date, false) as is_over) o
             where f.livemode = ${livemode} and f.account = ${account} and f.status = 'counted') c
     where c.last_day >= ${from}::date and c.first_day <= ${to}::date
     order by c.begins, c.ends`
  const times: Covered[] = []
  for (const { begins, ends } of rows) {
    const before = times.at(-1)
    if (begins >= ends) continue
    if (before === undefined || begins > before.ends) times.push({ begins, ends })
    else if (ends > before.ends) times[times.length - 1] = { begins: before.begins, ends }
  }
  return { times, days: new Set(rows.flatMap(({ first_day, last_day }) => daysBetween(first_day, last_day))) }
}
