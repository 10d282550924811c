import type { Db } from '../../platform/postgres/database.ts'
import type { AnomalyKind } from '../sending/decide.ts'
import type { Silences } from './doubt-store.ts'

/** The most open orders that one read looks at, so that a backlog costs no more than that. */
const OPEN_MAX = 10_000

/** Operations in doubt in one mode: their number, the seconds since the oldest was sent, and their francs. */
export type DoubtFigures = { livemode: boolean; count: number; oldest_seconds: number; amount: number }

/** Counts the operations in doubt of each mode, apart from those that only an anomaly holds. Reads the index of open orders. */
export async function readDoubtFigures(db: Db, { simulator, others }: Silences): Promise<DoubtFigures[]> {
  const rows = await db<DoubtFigures[]>`
    select livemode, count(*)::integer as count,
           extract(epoch from clock_now() - min(sent_at))::float8 as oldest_seconds,
           sum(amount)::bigint as amount
      from (select livemode, sent_at, amount
              from instructions
             where next_check_at is not null
               and sent_at is not null
               and (state = 'unknown'
                    or (state in ('sending', 'sent')
                        and sent_at < clock_now() - make_interval(
                              secs => case when connector = 'simulator' then ${simulator}::float8 else ${others}::float8 end)))
             limit ${OPEN_MAX}) doubts
     group by livemode`
  const none = { count: 0, oldest_seconds: 0, amount: 0 }
  return [false, true].map((livemode) => rows.find((row) => row.livemode === livemode) ?? { livemode, ...none })
}

/**
 * The age in seconds of the open payouts sent in the last two hours, without the oldest twentieth of all payouts of that time; 0: fewer are open.
 * Older ones are in doubt. The counts of operators' outcomes tell how many there were.
 */
export async function readSlowPayouts(db: Db, livemode: boolean): Promise<number> {
  const [sent] = await db<{ twentieth: number }[]>`
    select coalesce(sum(succeeded + failed + failed_otherwise + open), 0)::integer / 20 as twentieth
      from operator_weather
     where livemode = ${livemode} and direction = 'payout' and starts_at > clock_now() - interval '2 hours'`
  const [slowest] = await db<{ seconds: number }[]>`
    select extract(epoch from clock_now() - sent_at)::float8 as seconds
      from (select sent_at
              from instructions
             where next_check_at is not null and direction = 'payout' and livemode = ${livemode}
               and state in ('sending', 'sent', 'unknown') and sent_at > clock_now() - interval '2 hours'
             limit ${OPEN_MAX}) payouts
     order by sent_at
    offset ${sent!.twentieth}
     limit 1`
  return slowest?.seconds ?? 0
}

/** Counts the open anomalies of each kind, by their index. */
export async function readOpenAnomalies(db: Db): Promise<{ livemode: boolean; kind: AnomalyKind; count: number }[]> {
  return db<{ livemode: boolean; kind: AnomalyKind; count: number }[]>`
    select livemode, kind, count(*)::integer as count
      from anomalies
     where closed_at is null
     group by livemode, kind`
}
