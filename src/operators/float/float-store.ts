import type { Db, Tx } from '../../platform/postgres/database.ts'

/** The facts with which a balance is compared, all of one moment. Amounts in francs. */
export type FloatFacts = {
  /** When the operator's answer arrived, by the database's clock, rounded up to a millisecond. */
  answered_at: Date
  /** The last accepted balance; null when there is none. */
  base: number | null
  /** The change by orders that certainly moved between the base and this question. */
  certain: number
  /** The increase and the decrease by orders that may have moved on either side of one of the two questions. */
  maybe_in: number
  maybe_out: number
  /** Orders sent and not ended, charges included: collections in `open_in`, payouts and refunds in `open_out`. */
  open_in: number
  open_out: number
  /** Payouts and refunds that wait to be sent, charges included. */
  held: number
  /** The net outflow of the last 24 hours, charges included. */
  outflow_of_a_day: number
}

/** The database's time, rounded down to a millisecond. */
export async function readMoment(db: Db): Promise<Date> {
  const [row] = await db<{ now: Date }[]>`select date_trunc('milliseconds', clock_now()) as now`
  return row!.now
}

/**
 * Reads the facts for comparing a balance. An order moves its money between its send and its end. So a balance includes
 * it when it ended before the question, and excludes it when it was sent after the answer. In between nobody knows. An
 * order that waits to be sent counts for its connector when that is known, otherwise for the first connector of its
 * route.
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
      select i.direction, i.amount, i.state,
             i.amount * coalesce((c.terms ->> ('charges.' || i.direction || '.per_ten_thousand'))::bigint, 0)
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

/** The reasons for which a person should look at the money that an operator holds. */
export const floatWarnings = ['below_floor', 'runs_out', 'differs'] as const
export type FloatWarning = (typeof floatWarnings)[number]

/** A balance that an operator reported, with the expected one. Amounts in francs. */
export type FloatRow = {
  connector: string
  asked_at: Date
  answered_at: Date
  amount: number
  /** Null while no balance was accepted. */
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

/** Inserts a balance. Does nothing when another process asked in the same millisecond. */
export async function insertBalance(db: Db, row: Omit<FloatRow, 'accepted_by' | 'accepted_at'>): Promise<void> {
  const { connector, asked_at, answered_at, amount, expected_from, expected_to, difference } = row
  await db`
    insert into connector_balances (connector, asked_at, answered_at, amount, expected_from, expected_to, difference, in_flight,
                                    held, outflow_of_a_day, warnings)
    values (${connector}, ${asked_at}, ${answered_at}, ${amount}, ${expected_from}, ${expected_to}, ${difference},
            ${row.in_flight}, ${row.held}, ${row.outflow_of_a_day}, ${row.warnings}::text[])
    on conflict do nothing`
}

/** Reads the newest balance of each connector in use, or of the named one, by name. */
export function readNewest(db: Db, connector: string | null = null): Promise<FloatRow[]> {
  return db<FloatRow[]>`
    select distinct on (connector) ${db(columns)}
      from connector_balances
     where ${connector === null ? db`connector in (select name from connectors where removed_at is null)` : db`connector = ${connector}`}
     order by connector, asked_at desc`
}

/** Reads the last accepted balance, the base of later comparisons. Null when there is none. */
export async function readAccepted(db: Db, connector: string): Promise<FloatRow | null> {
  const [row] = await db<FloatRow[]>`
    select ${db(columns)}
      from connector_balances
     where connector = ${connector} and accepted_at is not null
     order by asked_at desc
     limit 1`
  return row ?? null
}

/** The key of a balance: its connector, and the time at which it was asked for. */
export type BalanceKey = Pick<FloatRow, 'connector' | 'asked_at'>

/** Reads one balance. Null when there is none. */
export async function readBalance(db: Db, { connector, asked_at }: BalanceKey): Promise<FloatRow | null> {
  const [row] = await db<FloatRow[]>`
    select ${db(columns)}
      from connector_balances
     where connector = ${connector} and asked_at = ${asked_at}`
  return row ?? null
}

/** Locks a balance that can be accepted. Null when there is no such balance, or when it or a newer one was accepted already. */
export async function lockAcceptable(tx: Tx, { connector, asked_at }: BalanceKey): Promise<FloatRow | null> {
  const [row] = await tx<FloatRow[]>`
    select ${tx(columns)}
      from connector_balances b
     where connector = ${connector} and asked_at = ${asked_at} and accepted_at is null
       and not exists (
             select
               from connector_balances newer
              where newer.connector = b.connector and newer.asked_at > b.asked_at and newer.accepted_at is not null)
       for update`
  return row ?? null
}

/** Marks a locked balance as accepted. As the base it no longer differs. */
export async function markAccepted(tx: Tx, { connector, asked_at }: BalanceKey, by: string): Promise<void> {
  await tx`
    update connector_balances
       set accepted_by = ${by}, accepted_at = clock_now(), warnings = array_remove(warnings, 'differs')
     where connector = ${connector} and asked_at = ${asked_at}`
}

/** Claims the connectors whose balance was not asked for in the last `minutes`, so that no other process asks. Returns their names. */
export async function claimDue(db: Db, minutes: number): Promise<string[]> {
  const rows = await db<{ name: string }[]>`
    update connectors
       set balance_asked_at = clock_now()
     where removed_at is null
       and (balance_asked_at is null or balance_asked_at <= clock_now() - make_interval(mins => ${minutes}))
    returning name`
  return rows.map(({ name }) => name).sort()
}

/** Deletes balances that nobody accepted, asked for more than `days` ago. */
export async function dropOldBalances(db: Db, connector: string, days: number): Promise<void> {
  await db`
    delete from connector_balances
     where connector = ${connector} and accepted_at is null and asked_at < clock_now() - make_interval(days => ${days})`
}
