import { recordAct } from '../audit-log/record-act.ts'
import { merchantExists } from '../merchants/store.ts'
import { findAnomaly } from '../operators/doubts/anomaly-store.ts'
import { readSends } from '../operators/doubts/doubt-store.ts'
import { failableAfter } from '../operators/doubts/failable-after.ts'
import type { Instruction } from '../operators/instruction.ts'
import { connectorOf, type Registry } from '../operators/routing/registry.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db, Sql } from '../platform/postgres/database.ts'
import { violatedConstraint } from '../platform/postgres/failures.ts'
import type { Actor } from '../values/actor.ts'
import { newId } from '../values/ids.ts'
import type { ProposalRow } from './anomaly.ts'
import { readSubject } from './find-anomalies.ts'
import * as store from './store.ts'
import { type Proposed, type ResolutionError, validateResolution } from './validate-resolution.ts'

export type ProposeResult =
  | { kind: 'proposed'; proposal: ProposalRow }
  | { kind: 'refused'; code: 'too_early'; minutes: number }
  | {
      kind: 'refused'
      code:
        | 'not_a_person'
        | 'resource_not_found'
        | 'already_closed'
        | 'already_proposed'
        | 'unknown_merchant'
        | ResolutionError
    }

/**
 * Proposes how to close an anomaly. Another person decides, and nothing is done until then. Refusals, in order of precedence: an API key,
 * no such anomaly, a closed one, a resolution that does not fit, a failure in live mode less than `minutes` after the last send, an
 * unknown merchant, another proposal that waits.
 */
export async function proposeResolution(
  { sql, clock, registry }: { sql: Sql; clock: Clock; registry: Pick<Registry, 'connectorNamed'> },
  anomaly_id: string,
  proposed: Proposed & { reason: string; proposed_by: Actor },
): Promise<ProposeResult> {
  if (proposed.proposed_by.person.startsWith('key:')) return { kind: 'refused', code: 'not_a_person' }
  const anomaly = await findAnomaly(sql, anomaly_id)
  if (anomaly === null) return { kind: 'refused', code: 'resource_not_found' }
  if (anomaly.closed_at !== null) return { kind: 'refused', code: 'already_closed' }
  const subject = await readSubject(sql, anomaly)
  const error = validateResolution(anomaly.kind, subject, proposed)
  if (error !== null) return { kind: 'refused', code: error }
  // An anomaly of another kind may be older than the last send, whose outcome is unknown.
  const mayArrive = anomaly.kind === 'in_doubt' || subject?.state !== 'sent'
  if (proposed.resolution === 'as_refused' && mayArrive && subject!.livemode) {
    const window = failableAfter(connectorOf(registry, subject!), subject!.direction)
    if (clock.now().getTime() - (await lastSendOf(sql, subject!)) < window) {
      return { kind: 'refused', code: 'too_early', minutes: window / 60_000 }
    }
  }
  if (proposed.of_merchant_id !== null && !(await merchantExists(sql, proposed.of_merchant_id))) {
    return { kind: 'refused', code: 'unknown_merchant' }
  }
  const { resolution, amount, of_merchant_id, reason, proposed_by } = proposed
  const proposal: ProposalRow = {
    merchant_id: anomaly.merchant_id,
    livemode: anomaly.livemode,
    id: newId('anp', clock.milliseconds()),
    anomaly_id,
    resolution,
    amount,
    of_merchant_id,
    reason,
    status: 'proposed',
    proposed_by: proposed_by.person,
    decided_by: null,
    adjustment_id: null,
    proposed_at: clock.now(),
    decided_at: null,
  }
  try {
    await sql.begin((tx) => {
      store.insertProposal(tx, proposal)
      const after = { proposal_id: proposal.id, resolution, amount, of_merchant_id }
      recordAct(tx, proposal, { actor: proposed_by, act: 'anomaly.propose', subject: anomaly_id, after })
    })
  } catch (error) {
    if (violatedConstraint(error) !== 'anomaly_proposals_standing') throw error
    return { kind: 'refused', code: 'already_proposed' }
  }
  return { kind: 'proposed', proposal }
}

/** The moment of the last send, in milliseconds since 1970: an order that was sent again may still arrive although the first send is old. */
async function lastSendOf(db: Db, subject: Instruction): Promise<number> {
  const sends = await readSends(db, subject)
  return Math.max(subject.sent_at?.getTime() ?? 0, ...sends.map(({ sent_at }) => sent_at.getTime()))
}
