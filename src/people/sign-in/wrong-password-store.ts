import type { Db, Sql } from '../../platform/postgres/database.ts'
import { deleteExpired, type ScanOptions } from '../../platform/postgres/upkeep/delete-expired.ts'

/** `email_hash`: SHA-256 of the typed e-mail address. `place`: empty for all places in which the person is not known. */
export type PasswordLane = { email_hash: Buffer; place: string }

/**
 * Counts a password before it is checked. False: the limit of this hour or of 24 hours is reached, and the password is not counted. The
 * limit of the hour holds for concurrent passwords too.
 */
export async function countPassword(
  db: Db,
  { email_hash, place }: PasswordLane,
  { hour, day }: { hour: number; day: number },
): Promise<boolean> {
  const counted = await db`
    insert into wrong_passwords as w (email_hash, place, hour, wrong)
    select ${email_hash}, ${place}, date_trunc('hour', clock_now()), 1
     where (select coalesce(sum(wrong), 0)
              from wrong_passwords
             where email_hash = ${email_hash} and place = ${place} and hour > clock_now() - interval '1 day') < ${day}
    on conflict (email_hash, place, hour) do update
       set wrong = w.wrong + 1
     where w.wrong < ${hour}
    returning wrong`
  return counted.length === 1
}

/** Removes the count of a password that was correct or not checked. */
export async function uncountPassword(db: Db, { email_hash, place }: PasswordLane): Promise<void> {
  await db`
    update wrong_passwords
       set wrong = wrong - 1
     where email_hash = ${email_hash} and place = ${place} and hour = date_trunc('hour', clock_now()) and wrong > 0`
}

/** Deletes the hours that no longer count, and returns their number. */
export function dropOldWrongPasswords(sql: Sql, scan?: ScanOptions): Promise<number> {
  return deleteExpired(sql, 'wrong_passwords', sql`r.hour < clock_now() - interval '1 day'`, {
    stopping: scan?.stopping,
  })
}
