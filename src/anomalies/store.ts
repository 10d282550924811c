import { type Db, records, type Tx } from '../platform/postgres/database.ts'
import type { Tenant } from '../words/caller.ts'
import type { AnomalyRow, ProposalRow } from './anomaly.ts'

const columns = [
  'merchant_id',
  'livemode',
  'id',
  'subject_id',
  'kind',
  'fact',
  'operator',
  'evidence',
  'opened_at',
  'closed_at',
]

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

/** The open anomalies of one merchant in one mode, the oldest first. */
export async function readOpenOf(db: Db, tenant: Tenant, limit: number): Promise<AnomalyRow[]> {
  return db<AnomalyRow[]>`
    select ${db(columns)}
      from anomalies
     where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode} and closed_at is null
     order by opened_at, id
     limit ${limit}`
}

/** The open anomalies of all merchants, and those without a merchant, the oldest first. */
export async function readOpen(db: Db, limit: number): Promise<AnomalyRow[]> {
  return db<AnomalyRow[]>`
    select ${db(columns)}
      from anomalies
     where closed_at is null
     order by opened_at
     limit ${limit}`
}

/** Whether an anomaly of this kind is open about a subject. */
export async function isOpenAbout(
  db: Db,
  { merchant_id, livemode, subject_id }: Tenant & { subject_id: string },
  kind: AnomalyRow['kind'],
): Promise<boolean> {
  const rows = await db`
    select id
      from anomalies
     where merchant_id = ${merchant_id} and livemode = ${livemode} and subject_id = ${subject_id} and kind = ${kind}
       and closed_at is null
     limit 1`
  return rows.length > 0
}

/** For the team, which knows only the id it was told. Null when there is none. */
export async function findAnomaly(db: Db, anomaly_id: string): Promise<AnomalyRow | null> {
  const [row] = await db<AnomalyRow[]>`
    select ${db(columns)}
      from anomalies
     where id = ${anomaly_id}`
  return row ?? null
}

/** The proposals for an anomaly, the oldest first. */
export async function readProposals(db: Db, anomaly: AnomalyRow): Promise<ProposalRow[]> {
  return db<ProposalRow[]>`
    select ${db(proposalColumns)}
      from anomaly_proposals
     where merchant_id = ${anomaly.merchant_id} and livemode = ${anomaly.livemode} and anomaly_id = ${anomaly.id}
     order by id`
}

/** Refused by its index while another proposal stands, or was approved (`anomaly_proposals_standing`). */
export async function insertProposal(db: Db, proposal: ProposalRow): Promise<void> {
  await db`
    insert into anomaly_proposals
      (merchant_id, livemode, id, anomaly_id, resolution, amount, of_merchant_id, reason, proposed_by, proposed_at)
    select merchant_id, livemode, id, anomaly_id, resolution, amount, of_merchant_id, reason, proposed_by, proposed_at
      from json_to_recordset(${records(db, [proposal])})
        as r(merchant_id bigint, livemode boolean, id text, anomaly_id text, resolution text, amount bigint,
             of_merchant_id bigint, reason text, proposed_by text, proposed_at timestamptz)`
}

/** Decides a proposal that stands; null when another person decided it first. The database refuses the proposer. */
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

/** Closes an anomaly, with the proposal that was approved for it. */
export async function closeAnomaly(tx: Tx, anomaly: AnomalyRow): Promise<void> {
  await tx`
    update anomalies
       set closed_at = clock_now()
     where merchant_id = ${anomaly.merchant_id} and livemode = ${anomaly.livemode}
       and subject_id = ${anomaly.subject_id} and kind = ${anomaly.kind} and fact = ${anomaly.fact}
       and closed_at is null`
}
