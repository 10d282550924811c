import type { Db, Sql } from '../../platform/postgres/database.ts'
import { given } from '../../platform/postgres/rows.ts'
import { deleteExpired, type ScanOptions } from '../../platform/postgres/upkeep/delete-expired.ts'
import type { Known } from './prediction.ts'

/** A number by its hash, with its mode. */
export type NumberKey = { readonly livemode: boolean; readonly hash: string }

export type KnownNumber = NumberKey & Known & { readonly is_stale: boolean }

/** Days after which a fact about a number is dropped unless it was learned again. */
export const KNOWN_DAYS = 365
/** Days after which a repeated lesson is written again, to renew its date. */
const STALE_DAYS = 30

/** Reads the stored facts about numbers. A number without facts is absent from the result. */
export async function readNumbers(db: Db, keys: readonly NumberKey[]): Promise<KnownNumber[]> {
  return db<KnownNumber[]>`
    select n.livemode, encode(n.number_hash, 'hex') as hash, n.operator, n.refused_by,
           n.learned_at < clock_now() - make_interval(days => ${STALE_DAYS}) as is_stale
      from ${given(db, 'number_operators k', keys, ['livemode', 'hash'])}
      join number_operators n
        on n.livemode = k.livemode and n.number_hash = decode(k.hash, 'hex')`
}

/** Stores facts about numbers in key order, so that two processes that write the same numbers do not deadlock. */
export async function keepNumbers(db: Db, numbers: readonly (NumberKey & Known)[]): Promise<void> {
  if (numbers.length === 0) return
  await db`
    insert into number_operators (livemode, number_hash, operator, refused_by)
    select livemode, decode(hash, 'hex') as number_hash, operator, refused_by
      from ${given(db, 'number_operators k', numbers, ['livemode', 'hash', 'operator', 'refused_by'])}
     order by livemode, number_hash
        on conflict (livemode, number_hash)
        do update set operator = excluded.operator, refused_by = excluded.refused_by, learned_at = clock_now()`
}

/** Deletes the facts about numbers, which it locks in the same order. */
export async function forgetNumbers(db: Db, keys: readonly NumberKey[]): Promise<void> {
  if (keys.length === 0) return
  await db`
    with forgotten as materialized (
      select n.livemode, n.number_hash
        from ${given(db, 'number_operators k', keys, ['livemode', 'hash'])}
        join number_operators n
          on n.livemode = k.livemode and n.number_hash = decode(k.hash, 'hex')
       order by n.livemode, n.number_hash
         for update of n
    )
    delete from number_operators n
     using forgotten f
     where n.livemode = f.livemode and n.number_hash = f.number_hash`
}

/**
 * Deletes facts learned more than `KNOWN_DAYS` ago, and returns their number. A number changes hands, and its prefix is
 * a fair guess again.
 */
export async function dropOldNumbers(sql: Sql, scan?: ScanOptions): Promise<number> {
  return deleteExpired(
    sql,
    'number_operators',
    sql`r.learned_at < clock_now() - make_interval(days => ${KNOWN_DAYS})`,
    { stopping: scan?.stopping },
  )
}
