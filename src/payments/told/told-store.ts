import type { Db, Tx } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import type { Position } from '../../webhooks/feed/position.ts'

/** How far a merchant's payments were told. */
export type Told = Tenant & { readonly place: Position; readonly day: string | null }

/** Reads how far the payments of these merchants were told, in both modes. A merchant without a row is absent. */
export async function readTold(db: Db, merchant_ids: readonly number[]): Promise<Told[]> {
  const rows = await db<(Tenant & { epoch: number; number: string; id: string; day: string | null })[]>`
    select merchant_id, livemode, epoch, tx::text as number, id, day::text as day
      from told_payments
     where merchant_id = any(${[...merchant_ids]}::bigint[])`
  return rows.map(({ epoch, number, id, ...row }) => ({ ...row, place: { epoch, tx: number, id } }))
}

/** Begins to tell a merchant's payments, behind a place. Another process may have begun before. */
export async function beginTelling(db: Db, { merchant_id, livemode, place, day }: Told): Promise<void> {
  await db`
    insert into told_payments (merchant_id, livemode, epoch, tx, id, day)
    values (${merchant_id}, ${livemode}, ${place.epoch}, ${place.tx}::xid8, ${place.id}, ${day}::date)
    on conflict do nothing`
}

/** Moves on to a place. False: another process told these payments. */
export async function moveOn(tx: Tx, { merchant_id, livemode, place }: Told, next: Position): Promise<boolean> {
  const rows = await tx`
    update told_payments
       set epoch = ${next.epoch}, tx = ${next.tx}::xid8, id = ${next.id}
     where merchant_id = ${merchant_id} and livemode = ${livemode}
       and epoch = ${place.epoch} and tx = ${place.tx}::xid8 and id = ${place.id}
    returning merchant_id`
  return rows.length === 1
}

/** Marks the takings of a day as told. False: another process told them. */
export async function markDay(tx: Tx, { merchant_id, livemode }: Tenant, day: string): Promise<boolean> {
  const rows = await tx`
    update told_payments
       set day = ${day}::date
     where merchant_id = ${merchant_id} and livemode = ${livemode} and (day is null or day < ${day}::date)
    returning merchant_id`
  return rows.length === 1
}
