import type { Db, Tx } from '../../platform/postgres/database.ts'
import { insertRows } from '../../platform/postgres/rows.ts'
import { daysBetween } from '../../values/period.ts'
import { type AccountKey, type FileRow, periodOfFile } from './statement-file.ts'

/** A day of an account whose lines changed. */
export type ChangedDay = AccountKey & { readonly day: string }

/** A file of the account is being read: its lines do not count yet. */
const isReading = (db: Db) => db`
  exists (select
            from statement_files f
           where f.livemode = c.livemode and f.account = c.account and f.status = 'reading')`

/** The accounts with days whose lines changed, without those of which a file is being read. */
export function readChangedAccounts(db: Db): Promise<AccountKey[]> {
  return db<AccountKey[]>`
    select c.livemode, c.account
      from (select distinct livemode, account from changed_days) c
     where not ${isReading(db)}
     order by c.livemode, c.account`
}

/**
 * Takes the days of an account whose lines changed, for the comparison with our books in the same transaction: those of at most 1 000 changes. The file whose
 * comparison takes them is counted in this transaction.
 */
export async function takeChangedDays(tx: Tx, { livemode, account }: AccountKey): Promise<string[]> {
  const rows = await tx<{ day: string }[]>`
    with taken as (
      delete from changed_days
       where id in (select c.id
                      from changed_days c
                     where c.livemode = ${livemode} and c.account = ${account} and not ${isReading(tx)}
                     limit 1000
                       for update skip locked)
      returning day)
    select distinct day::text as day
      from taken
     order by 1`
  return rows.map(({ day }) => day)
}

/** Has the sweep compare days again. */
export async function addChangedDays(tx: Tx, days: readonly ChangedDay[]): Promise<void> {
  if (days.length > 0) insertRows(tx, 'changed_days', days)
}

/** Has the sweep compare the days of a file again that counts no longer. */
export async function addDaysOf(tx: Tx, file: FileRow): Promise<void> {
  const { livemode, account } = file
  const period = periodOfFile(file)
  if (period === null) return
  await addChangedDays(
    tx,
    daysBetween(period.from, period.to).map((day) => ({ livemode, account, day })),
  )
}
