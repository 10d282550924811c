import type { Db, Statement } from './database.ts'

/** The seconds since the one time that a statement reads. 0 if it reads none, or a future one. */
export async function secondsSince(db: Db, moment: Statement<object[]>): Promise<number> {
  const [row] = await db<{ seconds: number }[]>`
    select greatest(extract(epoch from clock_now() - (${moment})), 0)::float8 as seconds`
  return row!.seconds
}
