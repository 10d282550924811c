import { defineLapse } from '../acts/lapse-proposals.ts'
import { findAnomaly } from '../operators/doubts/anomaly-store.ts'
import type { ProposalRow } from './anomaly.ts'
import { writeDecision } from './decide-resolution.ts'
import * as store from './store.ts'

/** How a proposed resolution lapses that nobody decided. The anomaly stays open for another proposal. */
export const lapsingResolutions = defineLapse<ProposalRow>({
  table: 'anomaly_proposals',
  proposedAs: () => 'anomaly.propose',
  async lock(tx, id) {
    const anomaly_id = await store.findAnomalyOfProposal(tx, id)
    const anomaly = anomaly_id === null ? null : await findAnomaly(tx, anomaly_id)
    if (anomaly === null) return null
    return (await store.lockProposals(tx, anomaly)).find((one) => one.id === id) ?? null
  },
  write: (standing) =>
    writeDecision({ standing, status: 'lapsed', decided_by: standing.decided_by!, adjustment_id: null }),
})
