import type { Sql } from '../database.ts'

/** Rows that must have changed before statistics are worth taking. */
const CHANGED_MIN = 500

/**
 * PostgreSQL samples three hundred rows for each of these, and of a hundred when it is not told. A plan has to know of a table that has just
 * grown how large it is and what is common in it, and a hundred thousand rows take a tenth of the time so.
 */
const STATISTICS_TARGET = 10

/** A larger table has statistics from when it was smaller, and PostgreSQL itself takes care of it in time. */
const ROWS_MAX = 1_000_000

/**
 * Takes the statistics of tables that have become several times what they were when it was last done, and returns their names.
 *
 * PostgreSQL looks for such tables once a minute. Until then it plans for an empty table, and sessions keep that plan until there are
 * new statistics: two dozen batches of 500 payouts in a new database took more than 40 s instead of 9.
 */
export async function analyzeGrown(sql: Sql): Promise<string[]> {
  const grown = await sql<{ name: string }[]>`
    select format('%I.%I', s.schemaname, s.relname) as name
      from pg_stat_user_tables s
      join pg_class c on c.oid = s.relid
     where s.schemaname = current_schema()
       and c.relkind = 'r'
       and c.reltuples < ${ROWS_MAX}
       and s.n_mod_since_analyze >= greatest(${CHANGED_MIN}, 3 * c.reltuples)
     order by name`
  // One that somebody else is at is left to them.
  for (const { name } of grown) {
    await sql.begin(async (tx) => {
      tx.send(tx.unsafe(`set local default_statistics_target = ${STATISTICS_TARGET}`))
      await tx.unsafe(`analyze (skip_locked) ${name}`)
    })
  }
  return grown.map(({ name }) => name)
}
