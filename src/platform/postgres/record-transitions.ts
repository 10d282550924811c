import type { Tenant } from '../../values/caller.ts'
import type { Db, Tx } from './database.ts'
import { given, insertRows, sameRow } from './rows.ts'

/** A row as a transition left it, and where it came from: `transition_count` counts its transitions, this one included. */
type Transitioned = Tenant & {
  readonly id: string
  readonly status: string
  readonly transition_count: number
  readonly from_status: string
  readonly cause: string
}

/**
 * How transitions of locked rows are written. The trace is a statement of its own: Citus carries out an `insert` inside a `with` as one,
 * and loses the way from one to the other.
 * @param table of the rows
 * @param log the table of the traces, such as `payment_transitions_log`
 * @param subject its column that names what was moved, such as `payment_id`
 * @param columns the columns that a transition writes beside the status
 * @param traced columns of the trace beside the usual ones
 * @returns writes rows as their last transitions left them, and each transition. It does not wait
 */
export function createTransitionWriter<Column extends string, Traced extends string = never>(
  { table, log, subject }: { table: string; log: string; subject: string },
  columns: readonly Column[],
  traced: readonly Traced[] = [],
): (tx: Tx, moved: readonly (Transitioned & Readonly<Record<Column | Traced, unknown>>)[]) => void {
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

/** A transition as it was written down. */
export type TransitionRead = { from_status: string; to_status: string; cause: string; transitioned_at: Date }

/** Every transition of one row, in their order. */
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
