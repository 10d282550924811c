import type { Tx } from '../platform/postgres/database.ts'
import { given, sameRow } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'
import { firstIdAt, IDS_OFF_MS } from '../values/ids.ts'
import { cell } from './figures-store.ts'
import type { ListedKind } from './listed-operation.ts'
import { type OperationKey, views } from './store.ts'

// The statements of the repair of lists and daily figures. It uses those of the worker as well.

/** The list and the figures of one merchant in one mode, for one kind. */
export type Part = Tenant & { kind: ListedKind }

/** Deletes operations from the list. Their figures stay as they are. */
export async function deleteListed(tx: Tx, kind: ListedKind, keys: readonly OperationKey[]): Promise<void> {
  if (keys.length === 0) return
  await tx`
    delete from listed_operations l
     using ${given(tx, 'listed_operations k', keys, ['merchant_id', 'livemode', 'id'])}
     where l.kind = ${kind} and ${sameRow(tx, 'l', 'k', keys, 'id')}`
}

/** Deletes rows without an operation from a part of the list. Returns their number, and where the next part begins; null: nowhere. */
export async function deleteStrangers(
  tx: Tx,
  { merchant_id, livemode, kind }: Part,
  { from, until, limit }: { from: string; until: string | null; limit: number },
): Promise<{ removed: number; next: string | null }> {
  const rows = await tx<{ id: string }[]>`
    select id
      from listed_operations
     where merchant_id = ${merchant_id} and livemode = ${livemode} and kind = ${kind} and id >= ${from}
       ${until === null ? tx`` : tx`and id < ${until}`}
     order by id
     limit ${limit + 1}`
  const keys = rows.slice(0, limit).map(({ id }) => ({ merchant_id, livemode, id }))
  const found = await tx<{ id: string }[]>`
    select s.id
      from ${given(tx, 'listed_operations k', keys, ['merchant_id', 'livemode', 'id'])}
      join ${tx(views[kind])} s on ${sameRow(tx, 's', 'k', [{ merchant_id }], 'id')}`
  const known = new Set(found.map(({ id }) => id))
  const strangers = keys.filter(({ id }) => !known.has(id))
  await deleteListed(tx, kind, strangers)
  return { removed: strangers.length, next: rows[limit]?.id ?? null }
}

/**
 * Returns the first day from a day on that has figures or may have listed operations, as `YYYY-MM-DD`. Null when none has. The first operation
 * of the list may have been created up to `IDS_OFF_MS` after the second, so the search begins that much earlier.
 */
export async function readNextDay(tx: Tx, part: Part, from: string | null): Promise<string | null> {
  const { merchant_id, livemode, kind } = part
  const earliest = from === null ? '' : firstIdAt('txn', Math.max(0, Date.parse(from) - IDS_OFF_MS))
  const [row] = await tx<{ day: string | null }[]>`
    select least(
             (select min(day)
                from daily_figures
               where merchant_id = ${merchant_id} and livemode = ${livemode} and kind = ${kind}
                 and day >= coalesce(${from}::date, '-infinity')),
             (select greatest(${from}::date, ((s.created_at - make_interval(secs => ${(2 * IDS_OFF_MS) / 1_000})) at time zone 'UTC')::date)
                from (select id
                        from listed_operations
                       where merchant_id = ${merchant_id} and livemode = ${livemode} and kind = ${kind} and id >= ${earliest}
                       order by id
                       limit 1) l
                join ${tx(views[kind])} s on s.merchant_id = ${merchant_id} and s.livemode = ${livemode} and s.id = l.id)
           )::text as day`
  return row!.day
}

/**
 * Corrects the figures of one day by their difference from the list, and returns the number of wrong ones. The caller holds the lock of
 * `lockCounting`, so that figures and list agree in time. It reads all operations of the day.
 */
export async function recountDay(tx: Tx, { merchant_id, livemode, kind }: Part, day: string): Promise<number> {
  const begin = Date.parse(day)
  const end = begin + 86_400_000
  await tx`set local statement_timeout = '10min'`
  const corrected = await tx<{ status: string }[]>`
    insert into daily_figures as f
           (merchant_id, livemode, kind, day, operator, status, failure_code, within_seconds, count, amount, fee_amount)
    select merchant_id, livemode, ${kind}, day, operator, status, failure_code, within_seconds,
           sum(count), sum(amount), sum(fee_amount)
      from (select merchant_id, livemode, day, operator, status, failure_code, within_seconds,
                   -count as count, -amount as amount, -fee_amount as fee_amount
              from daily_figures
             where merchant_id = ${merchant_id} and livemode = ${livemode} and kind = ${kind} and day = ${day}::date
             union all
            select merchant_id, livemode, day, operator, l.status, failure_code, within_seconds, count, amount, fee_amount
              from (select merchant_id, livemode, id, status
                      from listed_operations
                     where merchant_id = ${merchant_id} and livemode = ${livemode} and kind = ${kind}
                       and id >= ${firstIdAt('txn', begin - IDS_OFF_MS)} and id < ${firstIdAt('txn', end + IDS_OFF_MS)}) k
             cross join lateral (
               select ${cell(tx, tx`k.status`, tx`1`)}
                 from ${tx(views[kind])} s
                where s.merchant_id = ${merchant_id} and s.livemode = ${livemode} and s.id = k.id
               offset 0) l
             where l.day = ${day}::date) both_sides
     group by merchant_id, livemode, day, operator, status, failure_code, within_seconds
    having sum(count) <> 0 or sum(amount) <> 0 or sum(fee_amount) <> 0
    on conflict (merchant_id, livemode, kind, day, operator, status, failure_code, within_seconds) do update
      set count = f.count + excluded.count, amount = f.amount + excluded.amount, fee_amount = f.fee_amount + excluded.fee_amount
    returning status`
  return corrected.length
}
