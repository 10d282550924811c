import type { Tenant } from '../../values/caller.ts'
import { type Db, records, type Tx } from './database.ts'
import { onOneMachine } from './on-one-machine.ts'

/** A row as a transition left it, and where it came from: `transition_count` counts its transitions, this one included. */
export type Transitioned = Tenant & {
  readonly id: string
  readonly status: string
  readonly transition_count: number
  readonly from_status: string
  readonly cause: string
}

const always = { merchant_id: 'bigint', livemode: 'boolean', id: 'text', status: 'text', transition_count: 'integer' }
const traced = { ...always, from_status: 'text', cause: 'text' }

/**
 * How transitions of locked rows are written. The trace is a statement of its own: Citus carries out an `insert` inside a `with` as one,
 * and loses the way from one to the other.
 * @param table of the rows
 * @param log the table of the traces, such as `payment_transitions_log`
 * @param subject its column that names what was moved, such as `payment_id`
 * @param columns the columns that a transition writes beside the status, with their types
 * @returns writes rows as their last transitions left them, and each transition. It does not wait
 */
export function createTransitionWriter<Column extends string>(
  { table, log, subject }: { table: string; log: string; subject: string },
  columns: Readonly<Record<Column, string>>,
): (tx: Tx, moved: readonly (Transitioned & Readonly<Record<Column, unknown>>)[]) => void {
  const written = { ...always, ...columns }
  const changes = ['status', 'transition_count', ...Object.keys(columns)]
    .map((name) => `${name} = w.${name}`)
    .join(', ')
  return (tx, moved) => {
    const last = [...new Map(moved.map((row) => [row.id, row])).values()]
    tx.send(tx`
      update ${tx(table)} t
         set ${tx.unsafe(changes)}
        from json_to_recordset(${recordsOf(tx, written, last)}) as w(${tx.unsafe(typesOf(written))})
       where (t.merchant_id, t.livemode, t.id) = (w.merchant_id, w.livemode, w.id)
         ${onOneMachine(tx, 't', last)}`)
    recordTransitions(tx, log, subject, moved)
  }
}

/** Writes the trace of transitions. Does not wait. */
export function recordTransitions(tx: Tx, log: string, subject: string, moved: readonly Transitioned[]): void {
  if (moved.length === 0) return
  tx.send(tx`
    insert into ${tx(log)} (merchant_id, livemode, ${tx(subject)}, number, from_status, to_status, cause)
    select merchant_id, livemode, id, transition_count, from_status, status, cause
      from json_to_recordset(${recordsOf(tx, traced, moved)}) as m(${tx.unsafe(typesOf(traced))})`)
}

function typesOf(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')
}

/** Of each row the fields that have a column. */
function recordsOf(tx: Tx, columns: Readonly<Record<string, string>>, rows: readonly object[]) {
  const names = Object.keys(columns) as never[]
  return records(
    tx,
    rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]]))),
  )
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
