import type { Db, Tx } from '../../platform/postgres/database.ts'
import { given } from '../../platform/postgres/rows.ts'
import type { ChangedDay } from '../../statement-files/import/changed-days.ts'
import type { Covered } from '../../statement-files/import/coverage.ts'
import type { AccountKey } from '../../statement-files/import/statement-file.ts'
import { addDays, type Period } from '../../values/period.ts'
import { type AccountDays, changes, monthsOf } from './store.ts'

/** The entries of one merchant on an external account in a period, by their sequence numbers. */
export type Range = { readonly merchant_id: number; readonly first: number; readonly last: number }

type DueDay = { readonly day: string; readonly due_on: string }

/** The operations whose lines matching finds. Deposits and settlements are no instructions: until bank lines are matched, each would be absent. */
const SHOWN = ['collection_confirmed', 'payout_succeeded', 'refund_started', 'refund_failed']
/** No line is so much older than the booking of its order. */
const LINE_BEFORE_DAYS = 31

/** Opens the differences of operations that no line shows, changes them, and closes those that a line shows by now. */
export function writeAbsent(
  tx: Tx,
  { livemode, account, held }: AccountKey & { readonly held: string },
  days: readonly DueDay[],
  ranges: readonly Range[],
  coverage: readonly Covered[],
): void {
  tx.send(tx`
    with absent as materialized (
      select e.subject_id, abs(sum(e.amount)) as amount, (max(e.created_at) at time zone 'UTC')::date as day
        from ${given(tx, 'differences r', ranges, ['merchant_id', 'first', 'last'])}
        join account_entries e
          on e.merchant_id = r.merchant_id::bigint and e.livemode = ${livemode} and e.account = ${held}
             and e.sequence between r.first::bigint and r.last::bigint
        left join instruction_progress p
          on (p.subject_id, p.merchant_id, p.livemode) = (e.subject_id, e.merchant_id, e.livemode)
       where e.operation = any(${SHOWN}::text[]) and coalesce(p.state, 'confirmed') = 'confirmed'
         and not exists (select from lines_about l where l.subject_id = e.subject_id and l.livemode = e.livemode
                            and l.month >= ${monthBefore(days[0]!.day)}::date)
       group by e.subject_id, p.sent_at, p.concluded_at
      having sum(e.amount) <> 0
         and exists (
             select from ${given(tx, 'differences c', coverage, ['begins', 'ends'])}
              where c.begins::timestamptz <= coalesce(p.sent_at, min(e.created_at))
                and c.ends::timestamptz > coalesce(p.concluded_at, max(e.created_at)))),
    shown as (
      update differences d
         set status = 'closed', closed_at = clock_now(), resolution = 'late_line'
       where d.livemode = ${livemode} and d.account = ${account} and d.day = any(${days.map(({ day }) => day)}::date[])
         and d.kind = 'missing_there' and d.status in ('waiting', 'open')
         and d.subject_id not in (select a.subject_id from absent a))
    insert into differences as d (id, livemode, account, day, kind, status, amount, subject_id, due_on)
    select 'dif' || substr(a.subject_id, 4), ${livemode}::boolean, ${account}::text, a.day, 'missing_there',
           case when w.due_on >= clock_now()::date then 'waiting' else 'open' end, a.amount, a.subject_id, w.due_on
      from absent a
      join ${given(tx, 'differences w', days, ['day', 'due_on'])} on w.day = a.day
        ${changes(tx)}`)
}

const monthBefore = (day: string) => `${addDays(day, -LINE_BEFORE_DAYS).slice(0, 8)}01`

/**
 * Closes the differences of any day of the account whose operations have a line in the months of the compared days. Returns the days on which other accounts miss such
 * operations, for their own comparison.
 */
export async function closeShown(tx: Tx, { livemode, account, days }: AccountDays): Promise<ChangedDay[]> {
  const isShown = tx`
    exists (select
              from lines_about l
             where l.subject_id = d.subject_id and l.livemode = d.livemode and l.month = any(${monthsOf(days)}::date[]))`
  tx.send(tx`
    update differences d
       set status = 'closed', closed_at = clock_now(), resolution = 'late_line'
     where d.livemode = ${livemode} and d.account = ${account} and d.kind = 'missing_there'
       and d.status in ('waiting', 'open') and ${isShown}`)
  return tx<ChangedDay[]>`
    select distinct d.livemode, d.account, d.day::text as day
      from differences d
     where d.livemode = ${livemode} and d.account <> ${account} and d.kind = 'missing_there'
       and d.status in ('waiting', 'open') and ${isShown}`
}

/** Opens the differences of days without a file, and closes those of days that a file covers by now. */
export function writeGaps(
  tx: Tx,
  { livemode, account }: AccountKey,
  gaps: readonly DueDay[],
  { from, to }: Period,
): void {
  tx.send(tx`
    with covered as (
      update differences d
         set status = 'closed', closed_at = clock_now(), resolution = 'late_line'
       where d.livemode = ${livemode} and d.account = ${account} and d.day between ${from}::date and ${to}::date
         and d.kind = 'file_missing' and d.status in ('waiting', 'open')
         and d.day <> all(${gaps.map(({ day }) => day)}::date[]))
    insert into differences as d (id, livemode, account, day, kind, status, amount, due_on)
    select 'dif_0' || left(md5(${`${livemode} ${account} `}::text || w.day), 25),
           ${livemode}::boolean, ${account}::text, w.day, 'file_missing',
           case when w.due_on >= clock_now()::date then 'waiting' else 'open' end, 0, w.due_on
      from ${given(tx, 'differences w', gaps, ['day', 'due_on'])}
        ${changes(tx)}`)
}

/** Counts the operations that the days of a file lack, and the days without a file until its last one, that nobody has closed. */
export async function countAbsent(
  db: Db,
  { livemode, account }: AccountKey,
  { from, to }: Period,
): Promise<{ missing_there: number; file_missing: number }> {
  const [counts] = await db<{ missing_there: number; file_missing: number }[]>`
    select count(*) filter (where kind = 'missing_there' and day between ${from}::date and ${to}::date) as missing_there,
           count(*) filter (where kind = 'file_missing') as file_missing
      from differences
     where livemode = ${livemode} and account = ${account} and day <= ${to}::date and status <> 'closed'`
  return counts!
}
