import type { Db, Tx } from '../../platform/postgres/database.ts'

/** The facts beside which a balance is held, all of one moment. Amounts in francs. */
export type FloatFacts = {
  /** When the operator's answer was there, by the database's clock, rounded up. */
  answered_at: Date
  /** The last accepted balance; null: there is none. */
  base: number | null
  /** The change by orders that moved after the base and before the question. */
  certain: number
  /** More and less than that, by orders of which it is not known on which side of a question they moved. */
  maybe_in: number
  maybe_out: number
  /** Orders that were sent and have not ended, charges included: collections, and payouts with refunds. */
  open_in: number
  open_out: number
  /** Payouts and refunds that wait to be sent. */
  held: number
  /** Paid out in the last 24 hours, less what came in. */
  outflow_of_a_day: number
}

/** The database's clock, in whole milliseconds that are not later. */
export async function readMoment(db: Db): Promise<Date> {
  const [row] = await db<{ now: Date }[]>`select date_trunc('milliseconds', clock_now()) as now`
  return row!.now
}

/**
 * An order moved its money at some moment between its send and its end. So it is within a balance when it ended before the question, and
 * not within it when it was sent after the answer; otherwise nobody knows. An order that waits to be sent counts for the first connector of its
 * route, unless its connector is known.
 */
export async function readFacts(db: Db, connector: string, asked_at: Date): Promise<FloatFacts> {
  const [row] = await db<FloatFacts[]>`
    with base as (
      select asked_at, answered_at, amount
        from connector_balances
       where connector = ${connector} and accepted_at is not null
       order by asked_at desc
       limit 1),
    since as (
      select case m.direction when 'collect' then m.amount else -m.amount end - m.charge as change,
             m.sent_at > b.answered_at and m.moved_at <= ${asked_at} as is_certain
        from connector_movements m
       cross join base b
       where m.connector = ${connector}
         and m.moved_at > b.asked_at),
    open as (
      select i.direction, i.amount, i.state, i.amount * coalesce((c.terms ->> ('charges.' || i.direction || '.per_ten_thousand'))::bigint, 0)
             as ten_thousandths, coalesce((c.terms ->> ('charges.' || i.direction || '.fixed'))::bigint, 0) as fixed
        from instructions i
        left join routes own
          on (own.merchant_id, own.livemode, own.operator, own.direction)
             = (i.merchant_id, i.livemode, i.operator, i.direction)
        left join routes everybody
          on (everybody.merchant_id, everybody.livemode, everybody.operator, everybody.direction)
             = (0, i.livemode, i.operator, i.direction)
        join connectors c on c.name = ${connector}
       where i.next_check_at is not null
         and i.state in ('prepared', 'sending', 'sent', 'unknown')
         and coalesce(i.connector, own.connectors[1], everybody.connectors[1]) = ${connector}),
    charged as (
      select direction, state, amount, fixed + (ten_thousandths + 9999) / 10000 as charge
        from open)
    select date_trunc('milliseconds', clock_now()) + interval '1 millisecond' as answered_at,
           (select amount from base) as base,
           coalesce((select sum(change) from since where is_certain), 0)::bigint as certain,
           coalesce((select sum(greatest(change, 0)) from since where not is_certain), 0)::bigint as maybe_in,
           coalesce((select sum(greatest(-change, 0)) from since where not is_certain), 0)::bigint as maybe_out,
           coalesce(sum(amount - charge) filter (where direction = 'collect' and state <> 'prepared'), 0)::bigint as open_in,
           coalesce(sum(amount + charge) filter (where direction <> 'collect' and state <> 'prepared'), 0)::bigint as open_out,
           coalesce(sum(amount + charge) filter (where direction <> 'collect' and state = 'prepared'), 0)::bigint as held,
           coalesce((select sum(case direction when 'collect' then -amount else amount end + charge)
                       from connector_movements
                      where connector = ${connector}
                        and moved_at > clock_now() - interval '24 hours'), 0)::bigint as outflow_of_a_day
      from charged`
  return row!
}

/** Why somebody should look at what an operator holds. */
export type FloatWarning = 'below_floor' | 'runs_out' | 'differs'

/** The balance that an operator told, beside what was expected of it. */
export type FloatRow = {
  connector: string
  asked_at: Date
  answered_at: Date
  amount: number
  /** Null: no balance was accepted yet. */
  expected_from: number | null
  expected_to: number | null
  difference: number | null
  in_flight: number
  held: number
  outflow_of_a_day: number
  warnings: FloatWarning[]
  accepted_by: string | null
  accepted_at: Date | null
}

const columns = [
  ...[
    'connector',
    'asked_at',
    'answered_at',
    'amount',
    'expected_from',
    'expected_to',
    'difference',
    'in_flight',
    'held',
  ],
  ...['outflow_of_a_day', 'warnings', 'accepted_by', 'accepted_at'],
]

/** Nothing where another process asked in the same millisecond. */
export async function insertBalance(db: Db, row: Omit<FloatRow, 'accepted_by' | 'accepted_at'>): Promise<void> {
  const { connector, asked_at, answered_at, amount, expected_from, expected_to, difference } = row
  await db`
    insert into connector_balances (connector, asked_at, answered_at, amount, expected_from, expected_to, difference, in_flight,
                                    held, outflow_of_a_day, warnings)
    values (${connector}, ${asked_at}, ${answered_at}, ${amount}, ${expected_from}, ${expected_to}, ${difference},
            ${row.in_flight}, ${row.held}, ${row.outflow_of_a_day}, ${row.warnings}::text[])
    on conflict do nothing`
}

/** The newest balance of each connector that is in use, or of one, in the order of their names. */
export function readNewest(db: Db, connector: string | null = null): Promise<FloatRow[]> {
  return db<FloatRow[]>`
    select distinct on (connector) ${db(columns)}
      from connector_balances
     where ${connector === null ? db`connector in (select name from connectors where removed_at is null)` : db`connector = ${connector}`}
     order by connector, asked_at desc`
}

/** The balance from which the following ones are reckoned. Null: none was accepted. */
export async function readAccepted(db: Db, connector: string): Promise<FloatRow | null> {
  const [row] = await db<FloatRow[]>`
    select ${db(columns)}
      from connector_balances
     where connector = ${connector} and accepted_at is not null
     order by asked_at desc
     limit 1`
  return row ?? null
}

/** It is what is reckoned from, and therefore no longer differs. */
export async function markAccepted(
  tx: Tx,
  { connector, asked_at }: Pick<FloatRow, 'connector' | 'asked_at'>,
  by: string,
) {
  await tx`
    update connector_balances
       set accepted_by = ${by}, accepted_at = clock_now(), warnings = array_remove(warnings, 'differs')
     where connector = ${connector} and asked_at = ${asked_at}`
}

/** Takes up the connectors whose balance was not asked for in the last minutes, so that no other process asks. */
export async function claimDue(db: Db, minutes: number): Promise<string[]> {
  const rows = await db<{ name: string }[]>`
    update connectors
       set balance_asked_at = clock_now()
     where removed_at is null
       and (balance_asked_at is null or balance_asked_at <= clock_now() - make_interval(mins => ${minutes}))
    returning name`
  return rows.map(({ name }) => name).sort()
}

/** Deletes what was told more than so many days ago and not accepted. */
export async function dropOldBalances(db: Db, connector: string, days: number): Promise<void> {
  await db`
    delete from connector_balances
     where connector = ${connector} and accepted_at is null and asked_at < clock_now() - make_interval(days => ${days})`
}
