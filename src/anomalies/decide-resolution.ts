import type { AdjustmentRow } from '../adjustments/adjustment.ts'
import { bookAdjustment, NotCovered } from '../adjustments/book-adjustment.ts'
import { insertAdjustment } from '../adjustments/store.ts'
import { recordAct } from '../audit-log/record-act.ts'
import { operatorAccount } from '../ledger/accounts.ts'
import { post } from '../ledger/post.ts'
import { returnedByHand } from '../ledger/postings.ts'
import { type AnomalyRow, closeAnomaly } from '../operators/anomaly-store.ts'
import { type Conclusions, concludeByHand, type EndByHand, hasLapsed, isOpen } from '../operators/conclude-by-hand.ts'
import type { Clock } from '../platform/clock.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { newId } from '../values/ids.ts'
import { isIndependentApprover } from '../values/independent-approver.ts'
import type { ProposalRow } from './anomaly.ts'
import { type AnomalyFile, readAnomaly } from './find-anomalies.ts'
import * as store from './store.ts'
import { difference, validateResolution } from './validate-resolution.ts'

export type DecideResolutionResult =
  | { kind: 'approved' | 'refused_by_person'; proposal: ProposalRow }
  | {
      kind: 'refused'
      /** `does_not_fit`: what it is about has ended otherwise since. `insufficient_funds`: it goes on waiting. */
      code: 'resource_not_found' | 'not_proposed' | 'same_person' | 'does_not_fit' | 'insufficient_funds'
    }

type Dependencies = { sql: Sql; clock: Clock; conclusions: Conclusions }

/** The operator ended the instruction while we decided: the transaction undoes everything decided on it. */
class EndedSince extends Error {
  override name = 'EndedSince'
}

/**
 * Approves a proposal for an anomaly, which carries it out and closes the anomaly, or refuses it, which leaves the anomaly open
 * for another proposal. The proposer cannot decide. Refusals, in order of precedence: no such anomaly, no proposal that stands,
 * the same person, a resolution that no longer fits, insufficient funds.
 */
export async function decideResolution(
  deps: Dependencies,
  anomaly_id: string,
  decision: { approve: boolean; decided_by: string },
): Promise<DecideResolutionResult> {
  const file = await readAnomaly(deps.sql, anomaly_id)
  if (file === null) return { kind: 'refused', code: 'resource_not_found' }
  const standing = file.proposals.find(({ status }) => status === 'proposed')
  if (standing === undefined) return { kind: 'refused', code: 'not_proposed' }
  const { decided_by } = decision
  if (!isIndependentApprover(standing.proposed_by, decided_by)) return { kind: 'refused', code: 'same_person' }
  if (decision.approve && validateResolution(file.anomaly.kind, file.subject, standing) !== null) {
    return { kind: 'refused', code: 'does_not_fit' }
  }
  try {
    return await deps.sql.begin(async (tx): Promise<DecideResolutionResult> => {
      const adjustment = decision.approve ? adjustmentFor(file, standing, decided_by, deps.clock) : null
      const proposal = await store.decideProposal(tx, standing, {
        status: decision.approve ? 'approved' : 'refused',
        decided_by,
        adjustment_id: adjustment?.id ?? null,
      })
      // Somebody decided it since we looked.
      if (proposal === null) return { kind: 'refused', code: 'not_proposed' }
      recordDecision(tx, proposal, decided_by)
      if (!decision.approve) return { kind: 'refused_by_person', proposal }
      await carryOut(tx, file, proposal, adjustment, deps.conclusions)
      if (adjustment !== null) {
        insertAdjustment(tx, adjustment)
        await bookAdjustment(tx, adjustment)
      }
      await closeAnomaly(tx, file.anomaly)
      return { kind: 'approved', proposal }
    })
  } catch (error) {
    if (error instanceof NotCovered) return { kind: 'refused', code: 'insufficient_funds' }
    if (error instanceof EndedSince) return { kind: 'refused', code: 'does_not_fit' }
    throw error
  }
}

function recordDecision(tx: Tx, proposal: ProposalRow, decided_by: string): void {
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

/** Carries out an approved proposal, apart from its adjustment. */
async function carryOut(
  tx: Tx,
  { anomaly, subject }: AnomalyFile,
  proposal: ProposalRow,
  adjustment: AdjustmentRow | null,
  conclusions: Conclusions,
): Promise<void> {
  if (proposal.resolution === 'as_proven') {
    const accounts_too = adjustment === null ? [] : ['available', adjustment.counterpart]
    return end(tx, anomaly, proposal, { conclusion: { kind: 'succeeded' }, accounts_too }, conclusions)
  }
  const cancelled = { conclusion: { kind: 'failed', failure_code: 'cancelled' } } as const
  if (proposal.resolution === 'as_refused') return end(tx, anomaly, proposal, cancelled, conclusions)
  if (proposal.resolution !== 'returned_by_hand') return
  // An unmatched callback has no ledger entries to correct: only the anomaly records the money that came and went.
  if (subject === null) return
  // A lapsed request is ended too: a proof that arrived later would credit money that the payer has back already.
  if (isOpen(subject) || hasLapsed(subject)) await end(tx, anomaly, proposal, cancelled, conclusions)
  const { merchant_id, livemode, id: subject_id, operator } = anomaly
  const legs = returnedByHand({ operator, amount: proposal.amount! })
  await post(tx, [{ merchant_id, livemode, subject_id, operation: 'returned_by_hand', legs }])
}

async function end(
  tx: Tx,
  { merchant_id, livemode, subject_id, id: anomaly_id }: AnomalyRow,
  { id: proposal_id, proposed_by, decided_by, reason }: ProposalRow,
  how: { conclusion: EndByHand; accounts_too?: readonly string[] },
  conclusions: Conclusions,
): Promise<void> {
  const evidence = { anomaly_id, proposal_id, proposed_by, decided_by, reason }
  const key = { merchant_id, livemode, subject_id }
  const ended = await concludeByHand(tx, key, { ...how, evidence }, conclusions)
  if (!ended) throw new EndedSince()
}

/** The adjustment that an approved proposal brings with it; null when it leaves the merchant's balance as it is. */
function adjustmentFor(
  { anomaly, subject }: AnomalyFile,
  { resolution, amount, of_merchant_id, reason, proposed_by }: ProposalRow,
  decided_by: string,
  clock: Clock,
): AdjustmentRow | null {
  const change =
    resolution === 'credit_available'
      ? amount!
      : resolution === 'debit_available'
        ? -amount!
        : resolution === 'as_proven' && subject !== null
          ? difference(subject, amount ?? subject.amount)
          : 0
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
