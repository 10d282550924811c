import { findTransition, type Transition } from '../../values/transition.ts'
import type { Tx } from '../postgres/database.ts'
import { defineEffect, type Effect } from './effects.ts'
import type { LockRank } from './lock-order.ts'

/** A row with a status. */
type StateRow = {
  readonly status: string
  /** Number of transitions so far. Absent when no history is kept. */
  readonly transition_count?: number
}

/** A row after a transition, with its former status and the trigger. */
export type TransitionedRow<Row extends StateRow, Trigger extends string> = Row & {
  from_status: Row['status']
  cause: Trigger
}

/** A row after a transition, with the effects of the transition. */
export type Transitioned<Row> = { readonly row: Row; readonly effects: Effect[] }

/** How rows of one kind move along their table of transitions. */
type Kind<Row extends StateRow, Rule extends Transition<Row['status']>, Facts> = {
  readonly rank: LockRank
  readonly transitions: readonly Rule[]
  /** The other columns that a transition writes. */
  readonly change: (row: Row, transition: Rule, facts: Facts, now: Date) => Partial<Row>
  /** Writes locked rows and one history row for each transition. Several transitions of one row come in order. */
  readonly write: (tx: Tx, moved: readonly TransitionedRow<Row, Rule['trigger']>[]) => void
  /** Makes the effect for the event of a transition. Absent when merchants get no event. */
  readonly tell?: (row: Row, event: NonNullable<Rule['event']>) => Effect
}

/**
 * Declares how rows of one kind move along their table of transitions.
 * @returns a function that applies a trigger to a locked row; it returns null when the table has no such transition
 * from the row's status. Pure
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
