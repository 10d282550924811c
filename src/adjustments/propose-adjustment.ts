import { recordAct } from '../audit-log/record-act.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { violatedConstraint } from '../platform/postgres/failures.ts'
import type { Actor } from '../values/actor.ts'
import { newId } from '../values/ids.ts'
import type { AdjustmentRow } from './adjustment.ts'
import * as store from './store.ts'

export type ProposedAdjustment = Pick<
  AdjustmentRow,
  'merchant_id' | 'livemode' | 'direction' | 'amount' | 'counterpart' | 'reason'
> & { proposed_by: Actor }

export type ProposeAdjustmentResult =
  | { kind: 'proposed'; adjustment: AdjustmentRow }
  | { kind: 'refused'; code: 'not_a_person' | 'resource_not_found' }

/** Proposes a correction of a balance. Another person decides, and nothing is booked until then. Refused for an API key and an unknown merchant. */
export async function proposeAdjustment(
  { sql, clock }: { sql: Sql; clock: Clock },
  proposed: ProposedAdjustment,
): Promise<ProposeAdjustmentResult> {
  if (proposed.proposed_by.person.startsWith('key:')) return { kind: 'refused', code: 'not_a_person' }
  const adjustment: AdjustmentRow = {
    ...proposed,
    proposed_by: proposed.proposed_by.person,
    id: newId('adj', clock.milliseconds()),
    anomaly_id: null,
    status: 'proposed',
    decided_by: null,
    proposed_at: clock.now(),
    decided_at: null,
  }
  try {
    await sql.begin((tx) => {
      store.insertAdjustment(tx, adjustment)
      const { id: subject, direction, amount, counterpart } = adjustment
      recordAct(tx, adjustment, {
        actor: proposed.proposed_by,
        act: 'adjustment.propose',
        subject,
        after: { direction, amount, counterpart },
      })
    })
  } catch (error) {
    if (violatedConstraint(error) !== 'adjustments_merchant_id_fkey') throw error
    return { kind: 'refused', code: 'resource_not_found' }
  }
  return { kind: 'proposed', adjustment }
}
