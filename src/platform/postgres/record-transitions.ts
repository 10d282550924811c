import type { Tenant } from '../../values/caller.ts'
import type { Db, Tx } from './database.ts'
import { given, insertRows, sameRow } from './rows.ts'

/** A row after a transition, with its previous status. `transition_count` counts its transitions, including this one. */
type TransitionedRow = Tenant & {
  readonly id: string
  readonly status: string
  readonly transition_count: number
  readonly from_status: string
  readonly cause: string
}

/**
 * Makes the writer of the transitions of locked rows. It writes the history by a separate statement, because Citus cannot execute an
 * `insert` inside a `with`.
 * @param table the table of the rows
 * @param log the table of their history, such as `payment_transitions_log`
 * @param subject the column of the history that contains the row's id, such as `payment_id`
 * @param columns the columns that a transition writes besides the status
 * @param traced the columns of the history besides the usual ones
 * @returns a function that writes the rows after their last transitions, and every transition to the history
 */
export function createTransitionWriter<Column extends string, Traced extends string = never>(
  { table, log, subject }: { table: string; log: string; subject: string },
  columns: readonly Column[],
  traced: readonly Traced[] = [],
): (tx: Tx, moved: readonly (TransitionedRow & Readonly<Record<Column | Traced, unknown>>)[]) => void {
  const changed = ['status', 'transition_count', ...columns] as const
  const changes = changed.map((name) => `${name} = w.${name}`).join(', ')
  return (tx, moved) => {
    const last = [...new Map(moved.map((row) => [row.id, row])).values()]
    tx.send(tx`
      update ${tx(table)} t
         set ${tx.unsafe(changes)}
        from ${given(tx, `${table} w`, last, ['merchant_id', 'livemode', 'id', ...changed])}
       where ${sameRow(tx, 't', 'w', last, 'id')}`)
    insertRows(
      tx,
      log,
      moved.map((row) => {
        const { merchant_id, livemode, id, transition_count: number, from_status, status: to_status, cause } = row
        const trace = { merchant_id, livemode, [subject]: id, number, from_status, to_status, cause }
        return Object.assign(trace, ...traced.map((column) => ({ [column]: row[column] })))
      }),
    )
  }
}

/** A transition in the history. */
export type TransitionRead = { from_status: string; to_status: string; cause: string; transitioned_at: Date }

/** Reads every transition of one row, in their order. */
export function readTransitions(
  db: Db,
  table: string,
  idColumn: string,
  { merchant_id, livemode, id }: Tenant & { id: string },
): Promise<TransitionRead[]> {
  return db<TransitionRead[]>`
    select from_status, to_status, cause, transitioned_at
      from ${db(table)}
     where merchant_id = ${merchant_id} and livemode = ${livemode} and ${db(idColumn)} = ${id}
     order by number`
}
