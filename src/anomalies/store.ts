import type { AnomalyRow } from '../operators/doubts/anomaly-store.ts'
import { eachShard } from '../platform/each-shard.ts'
import type { Db, Tx } from '../platform/postgres/database.ts'
import { given, insertRows, sameRow } from '../platform/postgres/rows.ts'
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

/** Locks the proposals for an anomaly until the transaction ends, oldest first. */
export async function lockProposals(tx: Tx, anomaly: AnomalyRow): Promise<ProposalRow[]> {
  return tx<ProposalRow[]>`
    select ${tx(proposalColumns)}
      from anomaly_proposals
     where merchant_id = ${anomaly.merchant_id} and livemode = ${anomaly.livemode} and anomaly_id = ${anomaly.id}
     order by id
       for no key update`
}

/** Reads the proposals of these anomalies that wait or were approved: each has at most one. */
export async function readDecisive(
  db: Db,
  anomalies: readonly Pick<AnomalyRow, 'id' | 'merchant_id' | 'livemode'>[],
): Promise<Pick<ProposalRow, 'anomaly_id' | 'status'>[]> {
  if (anomalies.length === 0) return []
  const read = await eachShard(
    db,
    anomalies,
    (some) => db<Pick<ProposalRow, 'anomaly_id' | 'status'>[]>`
      select p.anomaly_id, p.status
        from ${given(db, 'anomalies a', some, ['merchant_id', 'livemode', 'id'])}
        join anomaly_proposals p on ${sameRow(db, 'p', 'a', some, { anomaly_id: 'id' })}
       where p.status in ('proposed', 'approved')`,
  )
  return read.flat()
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

/** Decides a locked proposal that waits. The database refuses the proposer. */
export async function decideProposal(
  tx: Tx,
  { merchant_id, livemode, id }: Pick<ProposalRow, 'merchant_id' | 'livemode' | 'id'>,
  {
    status,
    decided_by,
    adjustment_id,
  }: { status: 'approved' | 'refused' | 'lapsed'; decided_by: string; adjustment_id: string | null },
  at: Date,
): Promise<void> {
  await tx`
    update anomaly_proposals
       set status = ${status}, decided_by = ${decided_by}, adjustment_id = ${adjustment_id}, decided_at = ${at}
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id}`
}

/** Finds the anomaly of a proposal of any merchant. Null when there is none. */
export async function findAnomalyOfProposal(db: Db, proposal_id: string): Promise<string | null> {
  const [row] = await db<{ anomaly_id: string }[]>`
    select anomaly_id
      from anomaly_proposals
     where id = ${proposal_id}`
  return row?.anomaly_id ?? null
}
