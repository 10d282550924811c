import type { AdjustmentRow } from '../../src/adjustments/adjustment.ts'
import * as decision from '../../src/adjustments/decide-adjustment.ts'
import * as proposal from '../../src/adjustments/propose-adjustment.ts'
import { type Clock, createClock } from '../../src/platform/clock.ts'
import type { Sql } from '../../src/platform/postgres/database.ts'
import type { Actor } from '../../src/values/actor.ts'
import { perform } from './perform.ts'

export type ProposedAdjustment = Pick<
  AdjustmentRow,
  'merchant_id' | 'livemode' | 'direction' | 'amount' | 'counterpart' | 'reason'
> & { proposed_by: Actor }

export async function proposeAdjustment(deps: { sql: Sql; clock: Clock }, proposed: ProposedAdjustment) {
  const { merchant_id, livemode, direction, amount, counterpart: against, reason, proposed_by } = proposed
  const subject = { tenant: { merchant_id, livemode }, values: { direction, amount, against, reason } }
  const outcome = await perform(proposal.proposeAdjustment, deps, subject, proposed_by)
  return outcome.kind === 'done' ? ({ kind: 'proposed', adjustment: outcome.result } as const) : outcome
}

export async function decideAdjustment(
  sql: Sql,
  id: string,
  { status, decided_by }: { status: 'approved' | 'refused'; decided_by: Actor },
) {
  const { approve, refuse } = decision.decideAdjustment
  const deps = { sql, clock: createClock() }
  const outcome = await perform(status === 'approved' ? approve : refuse, deps, { id }, decided_by)
  return outcome.kind === 'done' ? ({ kind: 'decided', adjustment: outcome.result } as const) : outcome
}
