import { recordAct } from '../audit-log/record-act.ts'
import { maySecond } from '../people/second-person.ts'
import { applyEffects } from '../platform/commands/effects.ts'
import type { Sql } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import type { AdjustmentRow } from './adjustment.ts'
import { bookAdjustment, isNotCovered } from './book-adjustment.ts'
import * as store from './store.ts'

export type DecideAdjustmentResult =
  | { kind: 'decided'; adjustment: AdjustmentRow }
  /** `insufficient_funds`: the adjustment stays open, and can be approved once the available balance covers it. */
  | { kind: 'refused'; code: 'resource_not_found' | 'already_decided' | 'same_person' | 'insufficient_funds' }

/**
 * Approves an adjustment, which books it, or refuses it. The proposer cannot decide, nor whoever let them in within 90 days. Refusals, in order of precedence: no
 * such adjustment, decided before, the same person, insufficient funds.
 */
export async function decideAdjustment(
  sql: Sql,
  adjustment_id: string,
  { status: decided, decided_by }: { status: 'approved' | 'refused'; decided_by: Actor },
): Promise<DecideAdjustmentResult> {
  const found = await store.findAdjustment(sql, adjustment_id)
  if (found === null) return { kind: 'refused', code: 'resource_not_found' }
  if (found.status !== 'proposed') return { kind: 'refused', code: 'already_decided' }
  if (!(await maySecond(sql, [found.proposed_by], decided_by.person))) return { kind: 'refused', code: 'same_person' }
  try {
    return await sql.begin(async (tx): Promise<DecideAdjustmentResult> => {
      const adjustment = await store.decideAdjustment(tx, found, { status: decided, decided_by: decided_by.person })
      // Another person decided it since it was read.
      if (adjustment === null) return { kind: 'refused', code: 'already_decided' }
      if (decided === 'approved') await applyEffects(tx, [bookAdjustment(adjustment)], adjustment.decided_at!)
      const { status, direction, amount, counterpart } = adjustment
      const act = status === 'approved' ? 'adjustment.approve' : 'adjustment.refuse'
      const change = { before: { status: found.status }, after: { status, direction, amount, counterpart } }
      recordAct(tx, adjustment, { actor: decided_by, act, subject: adjustment_id, ...change })
      return { kind: 'decided', adjustment }
    })
  } catch (error) {
    if (isNotCovered(error)) return { kind: 'refused', code: 'insufficient_funds' }
    throw error
  }
}
