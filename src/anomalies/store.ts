import type { AnomalyRow } from '../operators/doubts/anomaly-store.ts'
import type { Db, Tx } from '../platform/postgres/database.ts'
import { insertRows } from '../platform/postgres/rows.ts'
import type { ProposalRow } from './anomaly.ts'

const proposalColumns = [
  'merchant_id',
  'livemode',
  'id',
  'anomaly_id',
  'resolution',
  'amount',
  'of_merchant_id',
  'reason',
  'status',
  'proposed_by',
  'decided_by',
  'adjustment_id',
  'proposed_at',
  'decided_at',
]

/** Lists the proposals for an anomaly, oldest first. */
export async function readProposals(db: Db, anomaly: AnomalyRow): Promise<ProposalRow[]> {
  return db<ProposalRow[]>`
    select ${db(proposalColumns)}
      from anomaly_proposals
     where merchant_id = ${anomaly.merchant_id} and livemode = ${anomaly.livemode} and anomaly_id = ${anomaly.id}
     order by id`
}

/** Lists the proposals of one mode that wait for a second person, oldest first. */
export async function readWaitingProposals(db: Db, livemode: boolean, limit: number): Promise<ProposalRow[]> {
  return db<ProposalRow[]>`
    select ${db(proposalColumns)}
      from anomaly_proposals
     where status = 'proposed' and livemode = ${livemode}
     order by proposed_at
     limit ${limit}`
}

/** Inserts a proposal. The index `anomaly_proposals_standing` refuses it while another one waits or was approved. */
export function insertProposal(tx: Tx, { proposed_at: _, ...proposal }: ProposalRow): void {
  // The database's time, because it is compared with that of sends.
  insertRows(tx, 'anomaly_proposals', [proposal])
}

/** Decides a proposal that waits. Null when another person decided it first. The database refuses the proposer. */
export async function decideProposal(
  tx: Tx,
  proposal: Pick<ProposalRow, 'merchant_id' | 'livemode' | 'id'>,
  decision: { status: 'approved' | 'refused'; decided_by: string; adjustment_id: string | null },
): Promise<ProposalRow | null> {
  const [row] = await tx<ProposalRow[]>`
    update anomaly_proposals
       set status = ${decision.status}, decided_by = ${decision.decided_by}, adjustment_id = ${decision.adjustment_id},
           decided_at = clock_now()
     where merchant_id = ${proposal.merchant_id} and livemode = ${proposal.livemode} and id = ${proposal.id}
       and status = 'proposed'
    returning ${tx(proposalColumns)}`
  return row ?? null
}

/** Finds the anomaly of a proposal of any merchant. Null when there is none. */
export async function findAnomalyOfProposal(db: Db, proposal_id: string): Promise<string | null> {
  const [row] = await db<{ anomaly_id: string }[]>`
    select anomaly_id
      from anomaly_proposals
     where id = ${proposal_id}`
  return row?.anomaly_id ?? null
}
