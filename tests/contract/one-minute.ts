import type { Sql } from '../../src/platform/postgres/database.ts'

/**
 * Windows of limits start with each minute of the clock: what began in one is done again when it ended in another. A process
 * may be a little ahead of the database, so one that is about to begin has begun.
 */
export async function withinOneMinute<Result>(sql: Sql, work: () => Promise<Result>): Promise<Result> {
  const minuteIn = async (seconds: number) => {
    const [row] = await sql<{ minute: string }[]>`
      select date_trunc('minute', clock_now() + make_interval(secs => ${seconds}))::text as minute`
    return row!.minute
  }
  for (;;) {
    const began = await minuteIn(0)
    const result = await work()
    if ((await minuteIn(2)) === began) return result
  }
}
