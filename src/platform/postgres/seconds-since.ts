import type { Db, Statement } from './database.ts'

/** Seconds since the one moment that a statement reads; 0 when it reads none, or one that is still to come. */
export async function secondsSince(db: Db, moment: Statement<object[]>): Promise<number> {
  const [row] = await db<{ seconds: number }[]>`
    select greatest(extract(epoch from clock_now() - (${moment})), 0)::float8 as seconds`
  return row!.seconds
}
