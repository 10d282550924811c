import { performAct } from '../../src/acts/perform.ts'
import type { AdjustmentRow } from '../../src/adjustments/adjustment.ts'
import * as decision from '../../src/adjustments/decide-adjustment.ts'
import * as proposal from '../../src/adjustments/propose-adjustment.ts'
import { type Clock, createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { Actor } from '../../src/values/actor.ts'

// The acts of adjustments, as a command on the host carries them out.

export type ProposedAdjustment = Pick<
  AdjustmentRow,
  'merchant_id' | 'livemode' | 'direction' | 'amount' | 'counterpart' | 'reason'
> & { proposed_by: Actor }

export async function proposeAdjustment(deps: { sql: Sql; clock: Clock }, proposed: ProposedAdjustment) {
  const { merchant_id, livemode, direction, amount, counterpart: against, reason, proposed_by: by } = proposed
  const values = { direction, amount, against, reason }
  const call = { by, values, within: {}, tenant: { merchant_id, livemode } }
  const outcome = await performAct(proposal.proposeAdjustment, deps, call, null)
  return outcome.kind === 'done' ? ({ kind: 'proposed', adjustment: outcome.result } as const) : outcome
}

export async function decideAdjustment(
  sql: Sql,
  id: string,
  { status, decided_by: by }: { status: 'approved' | 'refused'; decided_by: Actor },
) {
  const { approve, refuse } = decision.decideAdjustment
  const call = { by, values: {}, within: {}, id }
  const deps = { sql, clock: createClock() }
  const outcome = await (status === 'approved'
    ? performAct(approve, deps, call, null)
    : performAct(refuse, deps, call, null))
  return outcome.kind === 'done' ? ({ kind: 'decided', adjustment: outcome.result } as const) : outcome
}
