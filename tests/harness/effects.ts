import assert from 'node:assert/strict'
import type { Effect } from '../../src/platform/commands/effects.ts'
import { type LockRank, lockOrder } from '../../src/platform/commands/lock-order.ts'
import type { Transitioned } from '../../src/platform/commands/transitions.ts'
import type { Transition } from '../../src/values/transition.ts'

/** Returns the rows that effects of one rank write or move. */
export function rowsOf<Row = Record<string, unknown>>(effects: readonly Effect[], rank: LockRank): Row[] {
  return effects.filter(({ kind }) => kind.rank === rank).map(({ row }) => row as Row)
}

/** Checks the effects of a reaction of this rank against the lock order: `applyEffects` throws at an effect of an earlier rank. */
export function assertBehind(rank: LockRank, effects: readonly Effect[]): void {
  for (const { kind } of effects) assert.ok(lockOrder.indexOf(kind.rank) >= lockOrder.indexOf(rank), kind.rank)
}

type StateRow = { status: string; transition_count?: number }

/** Tries each trigger in every state: a move follows the table, with its history and its merchant's event, or nothing changes. */
export function assertMovesAsTable<Status extends string, Row extends StateRow, Rule extends Transition<Status>>(
  rank: LockRank,
  statuses: readonly Status[],
  transitions: readonly Rule[],
  rowIn: (status: Status) => Row,
  move: (row: Row, trigger: { trigger: Rule['trigger'] }, now: Date) => Transitioned<Row> | null,
): void {
  const now = new Date('2026-11-24T10:00:05.000Z')
  for (const status of statuses) {
    for (const trigger of new Set(transitions.map((rule): Rule['trigger'] => rule.trigger))) {
      const row = rowIn(status)
      const moved = move(row, { trigger }, now)
      const rule = transitions.find((one) => one.from === status && one.trigger === trigger)
      assert.equal(moved?.row.status, rule?.to, `${status}, ${trigger}`)
      if (moved === null || rule === undefined) continue
      const [first, ...told] = moved.effects
      assert.equal(first!.kind.rank, rank)
      assert.deepEqual(first!.row, { ...moved.row, from_status: status, cause: trigger })
      assert.equal(moved.row.transition_count, (row.transition_count ?? 0) + 1)
      assert.deepEqual(
        told.map((effect) => (effect.row as { type: string }).type),
        rule.event === null ? [] : [rule.event],
      )
      assertBehind(rank, moved.effects)
    }
  }
}
