import type { Tenant } from '../../values/caller.ts'
import { type Db, records, type Tx } from './database.ts'

/** A transition, as the statement that made it returns it: `transition_count` counts the row's transitions, this one included. */
export type Transitioned = {
  readonly merchant_id: number
  readonly livemode: boolean
  readonly id: string
  readonly transition_count: number
  readonly from_status: string
  readonly status: string
  readonly cause: string
}

/**
 * Writes the trace of transitions, on its way with what follows, at the latest with the commit. Behind the statement that moves and not
 * within it: Citus carries out an `insert` inside a `with` as a statement of its own, and loses the way from one to the other.
 * @param table of the traces, such as `payment_transitions_log`
 * @param subject its column that names what was moved, such as `payment_id`
 */
export function recordTransitions(tx: Tx, table: string, subject: string, moved: readonly Transitioned[]): void {
  if (moved.length === 0) return
  const traces = moved.map(({ merchant_id, livemode, id, transition_count, from_status, status, cause }) => {
    return { merchant_id, livemode, id, transition_count, from_status, status, cause }
  })
  tx.send(tx`
    insert into ${tx(table)} (merchant_id, livemode, ${tx(subject)}, number, from_status, to_status, cause)
    select merchant_id, livemode, id, transition_count, from_status, status, cause
      from json_to_recordset(${records(tx, traces)})
        as m(merchant_id bigint, livemode boolean, id text, transition_count integer, from_status text, status text, cause text)`)
}

/** A move as it was written down. */
export type TransitionRead = { from_status: string; to_status: string; cause: string; moved_at: Date }

/** Every move of one row, in their order. */
export function readTransitions(
  db: Db,
  table: string,
  idColumn: string,
  { merchant_id, livemode, id }: Tenant & { id: string },
): Promise<TransitionRead[]> {
  return db<TransitionRead[]>`
    select from_status, to_status, cause, moved_at
      from ${db(table)}
     where merchant_id = ${merchant_id} and livemode = ${livemode} and ${db(idColumn)} = ${id}
     order by number`
}
