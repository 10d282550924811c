import { transitions as ofPayments } from '../payments/states.ts'
import { transitions as ofPayouts } from '../payouts/states.ts'
import type { Db, Statement, Tx } from '../platform/postgres/database.ts'
import { given, sameRow } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'
import type { ListedKind } from './listed-operation.ts'
import { type OperationKey, type Source, views } from './store.ts'

/** The steps in seconds to which the time until a confirmation is rounded up. A longer time counts as the last step. */
const STEPS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 1_800, 3_600, 86_400]

/** The operations of one day with one status. Amounts are in francs. */
export type DayFigures = {
  /** The day of their creation in Abidjan, `YYYY-MM-DD`. */
  day: string
  status: string
  count: number
  amount: number
  /** The fees of successful operations, otherwise 0. */
  fee_amount: number
}

/** The operations of one operator with one status, and for successful ones with the same step of time. */
export type OperatorFigures = {
  /** Empty when no operator was chosen. */
  operator: string
  status: string
  /** The seconds until the confirmation of successful operations, rounded up to a step; otherwise 0. */
  within_seconds: number
  count: number
}

/** The operations with one status, and for failed ones with the same reason. */
export type ReasonFigures = {
  status: string
  /** The reason of failed operations, otherwise empty. */
  failure_code: string
  count: number
}

/** The operations of a period, summed in each of the three ways. */
export type PeriodFigures = {
  readonly days: readonly DayFigures[]
  readonly operators: readonly OperatorFigures[]
  readonly reasons: readonly ReasonFigures[]
}

/**
 * Returns the cell in which an operation with a status counts. The facts of a status never change, so the cell can be subtracted after the
 * next move.
 * @param times 1, or -1 to subtract
 */
export function cell(db: Db, status: Statement<object[]>, times: Statement<object[]>): Statement<object[]> {
  const succeeded = db`${status} in ('succeeded', 'refunded', 'partially_refunded')`
  return db`
    (s.created_at at time zone 'UTC')::date as day, coalesce(s.operator, '') as operator, ${status} as status,
    case when ${status} = 'failed' then coalesce(s.failure_code, '') else '' end as failure_code,
    case when ${succeeded} and s.concluded_at is not null
         then (${STEPS}::integer[])[least(
                1 + width_bucket(extract(epoch from s.concluded_at - s.created_at), ${STEPS}::numeric[]),
                ${STEPS.length}::integer)]
         else 0 end as within_seconds,
    ${times} as count, ${times} * s.amount as amount,
    case when ${succeeded} then ${times} * coalesce(s.fee_amount, 0) else 0 end as fee_amount`
}

/** Adds operations with the status in which they are listed to the figures, or subtracts them. Rows are written in the order of their keys. */
export async function countOperations(
  tx: Tx,
  kind: ListedKind,
  operations: readonly (OperationKey & { status: string })[],
  times: 1 | -1,
): Promise<void> {
  if (operations.length === 0) return
  await tx`
    insert into daily_figures as f
           (merchant_id, livemode, kind, day, operator, status, failure_code, within_seconds, count, amount, fee_amount)
    select merchant_id, livemode, ${kind}, day, operator, status, failure_code, within_seconds,
           sum(count), sum(amount), sum(fee_amount)
      from (select s.merchant_id, s.livemode, ${cell(tx, tx`k.status`, tx`${times}::integer`)}
              from ${given(tx, 'listed_operations k', operations, ['merchant_id', 'livemode', 'id', 'status'])}
              join ${tx(views[kind])} s on ${sameRow(tx, 's', 'k', operations, 'id')}) cells
     group by merchant_id, livemode, day, operator, status, failure_code, within_seconds
     order by merchant_id, livemode, day, operator, status, failure_code, within_seconds
    on conflict (merchant_id, livemode, kind, day, operator, status, failure_code, within_seconds) do update
      set count = f.count + excluded.count, amount = f.amount + excluded.amount, fee_amount = f.fee_amount + excluded.fee_amount`
}

const sources: Readonly<Record<ListedKind, Source>> = { payment: 'new payments', payout: 'new payouts' }
const moves = { payment: ofPayments, payout: ofPayouts } as const

/**
 * Reads a merchant's figures from one day to another, both included, exact at this moment. One statement, and so one snapshot, sums the daily
 * figures, the operations that are not listed yet, and those that moved since the worker last read events: these count in their current
 * status and no longer in their former one.
 */
export async function readFigures(
  db: Db,
  { merchant_id, livemode }: Tenant,
  kind: ListedKind,
  { from, to }: { from: string; to: string },
): Promise<PeriodFigures> {
  const types = [...new Set(moves[kind].flatMap(({ event }) => (event === null ? [] : [event])))]
  const progress = (source: Source) => db`(select before_id from listing_progress where source = ${source})`
  const inPeriod = db`s.created_at >= ${from}::date::timestamp at time zone 'UTC'
              and s.created_at < (${to}::date + 1)::timestamp at time zone 'UTC'`
  const rows = await db<(DayFigures & OperatorFigures & ReasonFigures & { by: keyof PeriodFigures })[]>`
    select case when grouping(day) = 0 then 'days' when grouping(operator) = 0 then 'operators' else 'reasons' end as by,
           day::text as day, operator, status, failure_code, within_seconds, sum(count)::bigint as count,
           sum(amount)::bigint as amount, sum(fee_amount)::bigint as fee_amount
      from (select day, operator, status, failure_code, within_seconds, count, amount, fee_amount
              from daily_figures
             where merchant_id = ${merchant_id} and livemode = ${livemode} and kind = ${kind}
               and day between ${from}::date and ${to}::date
             union all
            select ${cell(db, db`s.status`, db`1`)}
              from ${db(views[kind])} s
             where s.merchant_id = ${merchant_id} and s.livemode = ${livemode} and s.id >= ${progress(sources[kind])}
               and ${inPeriod}
             union all
            select ${cell(db, db`x.status`, db`x.times`)}
              from (select distinct subject_id
                      from event_subjects
                     where merchant_id = ${merchant_id} and livemode = ${livemode} and type = any(${types}::text[])
                       and id >= ${progress('new events')} and subject_id < ${progress(sources[kind])}) e
              join listed_operations l
                on l.merchant_id = ${merchant_id} and l.livemode = ${livemode} and l.kind = ${kind} and l.id = e.subject_id
              join ${db(views[kind])} s
                on s.merchant_id = ${merchant_id} and s.livemode = ${livemode} and s.id = e.subject_id and s.version > l.version
             cross join lateral (values (l.status, -1), (s.status, 1)) as x(status, times)
             where ${inPeriod}) cells
     group by grouping sets ((day, status), (operator, status, within_seconds), (status, failure_code))
    having sum(count) <> 0
     order by day, operator, status, failure_code, within_seconds`
  const of = (by: keyof PeriodFigures) => rows.filter((row) => row.by === by)
  return {
    days: of('days').map(({ day, status, count, amount, fee_amount }) => ({ day, status, count, amount, fee_amount })),
    operators: of('operators').map(({ operator, status, within_seconds, count }) => {
      return { operator, status, within_seconds, count }
    }),
    reasons: of('reasons').map(({ status, failure_code, count }) => ({ status, failure_code, count })),
  }
}
