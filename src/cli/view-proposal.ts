import type { ActProposal } from '../acts/proposal.ts'

/** The answer of a command about an act that waits, or waited, for its second person. */
export function viewProposal({ id: proposal_id, status, merchant_id, livemode, ...row }: ActProposal): object {
  const { subject, amount, proposed_by, proposed_at, decided_by, decided_at, outcome } = row
  const mode = livemode ? 'live' : 'test'
  return {
    ...{ proposal_id, status, merchant_id, mode, subject, amount },
    ...{ proposed_by, proposed_at, decided_by, decided_at, outcome },
  }
}
