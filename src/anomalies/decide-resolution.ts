import { maySecond } from '../acts/second-person.ts'
import type { AdjustmentRow } from '../adjustments/adjustment.ts'
import { bookAdjustment, isNotCovered } from '../adjustments/book-adjustment.ts'
import { addAdjustment } from '../adjustments/store.ts'
import { recordAct } from '../audit-log/record-act.ts'
import { operatorAccount } from '../ledger/accounts.ts'
import { postTransaction } from '../ledger/post.ts'
import { returnedByHand } from '../ledger/postings.ts'
import { type AnomalyRow, closeAnomaly } from '../operators/doubts/anomaly-store.ts'
import {
  type Conclusions,
  concludeByHand,
  type EndByHand,
  hasLapsed,
  isOpen,
} from '../operators/doubts/conclude-by-hand.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects, defineReaction, type Effect } from '../platform/commands/effects.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import type { Actor } from '../values/actor.ts'
import { tenantOf } from '../values/caller.ts'
import { newId } from '../values/ids.ts'
import type { ProposalRow } from './anomaly.ts'
import { type AnomalyFile, readAnomaly } from './find-anomalies.ts'
import * as store from './store.ts'
import { changeOf, validateResolution } from './validate-resolution.ts'

export type DecideResolutionResult =
  | { kind: 'approved' | 'refused_by_person'; proposal: ProposalRow }
  | {
      kind: 'refused'
      /** `does_not_fit`: the operation has ended otherwise since, or was sent again. `insufficient_funds`: the proposal stays open. */
      code: 'resource_not_found' | 'not_proposed' | 'same_person' | 'does_not_fit' | 'insufficient_funds'
    }

type Dependencies = { sql: Sql; clock: Clock; conclusions: Conclusions }

/** The operator ended the instruction during the decision, or it was sent again since the proposal. The transaction is rolled back. */
class EndedSince extends Error {
  override name = 'EndedSince'
}

/** Closes anomalies. The adjustment is booked after the end of the instruction, because that may cover it. */
const close = defineReaction<{ anomaly: AnomalyRow; booked: readonly Effect[] }>('anomaly', async (tx, closed) => {
  for (const { anomaly } of closed) await closeAnomaly(tx, anomaly)
  return closed.flatMap(({ booked }) => booked)
})

/**
 * Decides a proposal for an anomaly. An approval carries the proposal out and closes the anomaly. A refusal leaves the anomaly open for
 * another proposal. The proposer cannot decide, nor whoever let them in within 90 days. Refusals, in order of precedence: no such anomaly, no proposal that waits, the same
 * person, a resolution that no longer fits, insufficient funds.
 * @param decision `proposal_id`: the proposal that the person has read; any other is not decided. Absent: the one that waits
 */
export async function decideResolution(
  deps: Dependencies,
  anomaly_id: string,
  decision: { approve: boolean; decided_by: Actor; proposal_id?: string },
): Promise<DecideResolutionResult> {
  const file = await readAnomaly(deps.sql, anomaly_id)
  if (file === null) return { kind: 'refused', code: 'resource_not_found' }
  const { decided_by, proposal_id } = decision
  const standing = file.proposals.find(({ status }) => status === 'proposed')
  if (standing === undefined || standing.id !== (proposal_id ?? standing.id))
    return { kind: 'refused', code: 'not_proposed' }
  if (!(await maySecond(deps.sql, [standing.proposed_by], decided_by.person)))
    return { kind: 'refused', code: 'same_person' }
  if (decision.approve && validateResolution(file.anomaly.kind, file.subject, standing) !== null) {
    return { kind: 'refused', code: 'does_not_fit' }
  }
  try {
    return await deps.sql.begin(async (tx): Promise<DecideResolutionResult> => {
      const adjustment = decision.approve ? adjustmentFor(file, standing, decided_by.person, deps.clock) : null
      const proposal = await store.decideProposal(tx, standing, {
        status: decision.approve ? 'approved' : 'refused',
        decided_by: decided_by.person,
        adjustment_id: adjustment?.id ?? null,
      })
      // Another person decided it since it was read.
      if (proposal === null) return { kind: 'refused', code: 'not_proposed' }
      recordDecision(tx, proposal, decided_by)
      if (!decision.approve) return { kind: 'refused_by_person', proposal }
      const ended = await endInstruction(tx, file, proposal, deps.conclusions)
      const booked = [
        ...returned(file, proposal),
        ...(adjustment === null ? [] : [addAdjustment(adjustment), bookAdjustment(adjustment)]),
      ]
      await applyEffects(tx, [...ended, close({ anomaly: file.anomaly, booked })], deps.clock.now())
      return { kind: 'approved', proposal }
    })
  } catch (error) {
    if (isNotCovered(error)) return { kind: 'refused', code: 'insufficient_funds' }
    if (error instanceof EndedSince) return { kind: 'refused', code: 'does_not_fit' }
    throw error
  }
}

function recordDecision(tx: Tx, proposal: ProposalRow, decided_by: Actor): void {
  const { id: proposal_id, status, resolution, amount, of_merchant_id } = proposal
  const act = status === 'approved' ? 'anomaly.approve' : 'anomaly.refuse'
  const after = { status, proposal_id, resolution, amount, of_merchant_id }
  recordAct(tx, proposal, {
    actor: decided_by,
    act,
    subject: proposal.anomaly_id,
    before: { status: 'proposed' },
    after,
  })
}

/** Ends the instruction of an approved proposal, if the resolution ends it, and returns the effects. */
async function endInstruction(
  tx: Tx,
  { anomaly, subject }: AnomalyFile,
  { id: proposal_id, resolution, amount, proposed_by, decided_by, proposed_at, reason }: ProposalRow,
  conclusions: Conclusions,
): Promise<readonly Effect[]> {
  // A lapsed request is ended too. Otherwise a later proof would credit money that was returned to the payer.
  const gaveBack = resolution === 'returned_by_hand' && subject !== null && (isOpen(subject) || hasLapsed(subject))
  if (!gaveBack && resolution !== 'as_proven' && resolution !== 'as_refused') return []
  const conclusion: EndByHand =
    resolution === 'as_proven' ? { kind: 'succeeded' } : { kind: 'failed', failure_code: 'cancelled' }
  const evidence = { anomaly_id: anomaly.id, proposal_id, proposed_by, decided_by, reason }
  const key = { ...tenantOf(anomaly), subject_id: anomaly.subject_id }
  const end = { conclusion, evidence, looked_at: proposed_at, amount: amount ?? undefined }
  const ended = await concludeByHand(tx, key, end, conclusions)
  if (ended === null) throw new EndedSince()
  return ended
}

/** The entries of money that was never booked and was returned. None for an unmatched callback, which only the anomaly records. */
function returned({ anomaly, subject }: AnomalyFile, { resolution, amount }: ProposalRow): Effect[] {
  if (resolution !== 'returned_by_hand' || subject === null) return []
  const { id: subject_id, operator } = anomaly
  const legs = returnedByHand({ operator, amount: amount! })
  return [postTransaction({ ...tenantOf(anomaly), subject_id, operation: 'returned_by_hand', legs })]
}

/** The adjustment of an approved proposal. Null when the proposal leaves the merchant's balance as it is. */
function adjustmentFor(
  { anomaly, subject }: AnomalyFile,
  { resolution, amount, of_merchant_id, reason, proposed_by }: ProposalRow,
  decided_by: string,
  clock: Clock,
): AdjustmentRow | null {
  const change = changeOf(subject, { resolution, amount })
  if (change === 0) return null
  return {
    merchant_id: of_merchant_id ?? anomaly.merchant_id,
    livemode: anomaly.livemode,
    id: newId('adj', clock.milliseconds()),
    direction: change > 0 ? 'credit' : 'debit',
    amount: Math.abs(change),
    counterpart: operatorAccount(anomaly.operator),
    reason,
    anomaly_id: anomaly.id,
    status: 'approved',
    proposed_by,
    decided_by,
    proposed_at: clock.now(),
    decided_at: clock.now(),
  }
}
