import type { Db, Tx } from '../../platform/postgres/database.ts'
import { given } from '../../platform/postgres/rows.ts'
import { firstIdAt } from '../../values/ids.ts'
import { usualSilence } from '../port.ts'
import { type Alike, type Counts, confirmationBounds, type Place, ROW_MS } from './weather.ts'

/** Reads the last counts of the last 24 hours, by row, and the database's time, all in milliseconds since 1970. */
export async function readCounted(db: Db): Promise<{
  now: number
  rows: { starts_at: number; counted_at: number; open: number }[]
}> {
  const [time] = await db<{ now: Date }[]>`select clock_now() as now`
  const rows = await db<{ starts_at: Date; counted_at: Date; open: number }[]>`
    select starts_at, min(counted_at) as counted_at, sum(open)::integer as open
      from operator_weather
     where starts_at > clock_now() - interval '24 hours'
     group by starts_at`
  return {
    now: time!.now.getTime(),
    rows: rows.map(({ starts_at, counted_at, open }) => {
      return { starts_at: starts_at.getTime(), counted_at: counted_at.getTime(), open }
    }),
  }
}

/**
 * Counts the instructions of the operations accepted in the five minutes from `starts_at`, grouped by all fields that
 * matter. Identifiers begin with their time, so the primary key finds them without a further index. Leaves out orders
 * that were given to no connector, and orders that name no operator.
 */
export async function readAlike(db: Db, starts_at: number): Promise<Alike[]> {
  const [from, to] = [starts_at, starts_at + ROW_MS]
  return db<Alike[]>`
    select livemode, operator, direction, state, failure_code, silent, bounds_passed, count(*)::integer as instructions
      from (select livemode, operator, direction, state, failure_code,
                   coalesce(sent_at < clock_now() - make_interval(secs => ${usualSilence() / 1_000}::double precision), false) as silent,
                   case
                     when state = 'confirmed' then
                       width_bucket(extract(epoch from concluded_at - sent_at)::double precision,
                                    ${[...confirmationBounds]}::double precision[])
                   end as bounds_passed
              from instructions
             where ((subject_id >= ${firstIdAt('txn', from)} and subject_id < ${firstIdAt('txn', to)})
                    or (subject_id >= ${firstIdAt('rfd', from)} and subject_id < ${firstIdAt('rfd', to)}))
               and operator is not null
               and (connector is not null or state = 'prepared')) each
     group by livemode, operator, direction, state, failure_code, silent, bounds_passed`
}

/** The prefixes of what orders are about: payments and payouts, and refunds. */
export const orderPrefixes = ['txn', 'rfd'] as const

/**
 * Reads the identifier of the last operation with an order of those accepted between two moments, in milliseconds since 1970, by the end of
 * the primary key. Null: none.
 */
export async function readLastOrder(
  db: Db,
  prefix: (typeof orderPrefixes)[number],
  { from, before }: { from: number; before: number },
): Promise<string | null> {
  const [row] = await db<{ last: string | null }[]>`
    select max(subject_id) as last
      from instructions
     where subject_id >= ${firstIdAt(prefix, from)} and subject_id < ${firstIdAt(prefix, before)}`
  return row!.last
}

/** Deletes the counts of rows, by their starts. */
export async function deleteRows(tx: Tx, starts: readonly number[]): Promise<void> {
  await tx`delete from operator_weather where starts_at = any(${starts.map((at) => new Date(at))})`
}

/** Writes the counts of one row, of which there are none. */
export async function insertRow(tx: Tx, starts_at: number, rows: readonly (Place & Counts)[]): Promise<void> {
  const beginning = new Date(starts_at)
  const fields = ['livemode', 'operator', 'direction', ...countFields] as const
  await tx`
    insert into operator_weather (livemode, operator, direction, succeeded, failed, failed_otherwise, open, in_doubt, confirmed_within,
                                  starts_at, counted_at)
    select n.livemode, n.operator, n.direction, n.succeeded, n.failed, n.failed_otherwise, n.open, n.in_doubt, n.confirmed_within,
           ${beginning}, clock_now()
      from ${given(tx, 'operator_weather n', rows, fields)}`
}

const countFields = ['succeeded', 'failed', 'failed_otherwise', 'open', 'in_doubt', 'confirmed_within'] as const

/** Sums the current row and the `rows_before` earlier ones, for each operator and direction. */
export async function readWindow(db: Db, rows_before: number): Promise<(Place & Counts)[]> {
  return db<(Place & Counts)[]>`
    select w.livemode, w.operator, w.direction, sum(w.succeeded)::integer as succeeded, sum(w.failed)::integer as failed,
           sum(w.failed_otherwise)::integer as failed_otherwise, sum(w.open)::integer as open, sum(w.in_doubt)::integer as in_doubt,
           array(select sum(b.confirmed)::integer
                   from operator_weather h
                  cross join unnest(h.confirmed_within) with ordinality as b(confirmed, nth)
                  where (h.livemode, h.operator, h.direction) = (w.livemode, w.operator, w.direction)
                    and h.starts_at >= s.since
                  group by b.nth
                  order by b.nth) as confirmed_within
      from (select date_bin('5 minutes', clock_now(), 'epoch') - make_interval(mins => 5 * ${rows_before}::integer) as since) s
      join operator_weather w
        on w.starts_at >= s.since
     group by w.livemode, w.operator, w.direction, s.since
     order by w.livemode, w.operator, w.direction`
}

/** The operations of one hour that count for the operator. */
export type HourRow = Place & { hours_ago: number; succeeded: number; operations: number }

/** Reads the last 24 hours by hour, up to the end of the current row. */
export async function readHours(db: Db): Promise<{ ends_at: Date; rows: HourRow[] }> {
  const [time] = await db<{ ends_at: Date }[]>`
    select date_bin('5 minutes', clock_now(), 'epoch') + interval '5 minutes' as ends_at`
  const { ends_at } = time!
  const rows = await db<HourRow[]>`
    select livemode, operator, direction,
           floor(extract(epoch from ${ends_at}::timestamptz - interval '5 minutes' - starts_at) / 3600)::integer as hours_ago,
           sum(succeeded)::integer as succeeded,
           sum(succeeded + failed + in_doubt)::integer as operations
      from operator_weather
     where starts_at >= ${ends_at}::timestamptz - interval '24 hours' and starts_at < ${ends_at}::timestamptz
     group by livemode, operator, direction, 4`
  return { ends_at, rows }
}
