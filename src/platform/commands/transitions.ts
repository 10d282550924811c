import type { Tenant } from '../../values/caller.ts'
import { findTransition, type Transition } from '../../values/transition.ts'
import type { Tx } from '../postgres/database.ts'
import { defineEffect, type Effect } from './effects.ts'
import type { LockRank } from './lock-order.ts'

/** A row of a thing that has states. */
type StateRow = Tenant & {
  readonly id: string
  readonly status: string
  /** How often it has moved; absent where no trace is kept. */
  readonly transition_count?: number
}

/** A row as a transition leaves it, where it came from, and the trigger. */
export type TransitionedRow<Row extends StateRow, Trigger extends string> = Row & {
  from_status: Row['status']
  cause: Trigger
}

/** A row as it now stands, and what its transition changes. */
export type Transitioned<Row> = { readonly row: Row; readonly effects: Effect[] }

/** The way in which the things of one kind move along their table of states. */
type Kind<Row extends StateRow, Rule extends Transition<Row['status']>, Facts> = {
  readonly rank: LockRank
  readonly transitions: readonly Rule[]
  /** The other columns that a transition changes. */
  readonly change: (row: Row, transition: Rule, facts: Facts, now: Date) => Partial<Row>
  /** Writes rows that the transaction has locked, and the trace of each move. Several moves of one row come in their order. */
  readonly write: (tx: Tx, moved: readonly TransitionedRow<Row, Rule['trigger']>[]) => void
  /** The effect of the event that the table has for a transition; absent: merchants are not told. */
  readonly tell?: (row: Row, event: NonNullable<Rule['event']>) => Effect
}

/**
 * Declares how the things of one kind move.
 * @returns one move of a locked row by a trigger, with its facts; null: the table does not allow it from where the row stands. Pure
 */
export function defineTransition<Row extends StateRow, Rule extends Transition<Row['status']>, Facts = object>({
  rank,
  transitions,
  change,
  write,
  tell,
}: Kind<Row, Rule, Facts>): (
  row: Row,
  trigger: Facts & { trigger: Rule['trigger'] },
  now: Date,
) => Transitioned<Row> | null {
  const update = defineEffect(rank, write)
  return (row, trigger, now) => {
    const transition = findTransition(transitions, row.status, trigger.trigger)
    if (transition === null) return null
    const { from, to, event } = transition
    const transition_count = (row.transition_count ?? 0) + 1
    const moved = { ...row, ...change(row, transition, trigger, now), status: to, transition_count }
    const told = event === null || tell === undefined ? [] : [tell(moved, event as NonNullable<Rule['event']>)]
    return { row: moved, effects: [update({ ...moved, from_status: from, cause: trigger.trigger }), ...told] }
  }
}
