import type { Db, Tx } from '../../platform/postgres/database.ts'
import { insertRows } from '../../platform/postgres/rows.ts'
import type { Tenant } from '../../values/caller.ts'
import type { CapName, CapProposal } from './cap-proposal.ts'

const columns = [
  'merchant_id',
  'livemode',
  'id',
  'cap',
  'amount',
  'reason',
  'status',
  'proposed_by',
  'proposed_at',
  'decided_by',
  'decided_at',
  'refusal_reason',
]

/** Inserts a proposal. The constraint `cap_proposals_standing` refuses it while another one for the same cap waits. */
export function insertProposal(tx: Tx, proposal: CapProposal): void {
  insertRows(tx, 'cap_proposals', [proposal])
}

/** Finds a proposal by its id alone, for staff. Null when there is none. */
export async function findProposal(db: Db, id: string): Promise<CapProposal | null> {
  const [row] = await db<CapProposal[]>`
    select ${db(columns)}
      from cap_proposals
     where id = ${id}`
  return row ?? null
}

/** A merchant's proposals in one mode, the newest first. */
export function readProposals(db: Db, tenant: Tenant, limit: number): Promise<CapProposal[]> {
  return db<CapProposal[]>`
    select ${db(columns)}
      from cap_proposals
     where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}
     order by id desc
     limit ${limit}`
}

/** The waiting proposals of one mode, oldest first. */
export function readWaitingProposals(db: Db, livemode: boolean, limit: number): Promise<CapProposal[]> {
  return db<CapProposal[]>`
    select ${db(columns)}
      from cap_proposals
     where status = 'proposed' and livemode = ${livemode}
     order by proposed_at
     limit ${limit}`
}

/**
 * Decides a waiting proposal. Null when another person decided it first. The database refuses a decision by the
 * proposer.
 */
export async function decideProposal(
  tx: Tx,
  key: Tenant & { id: string },
  { status, decided_by, refusal_reason }: Pick<CapProposal, 'status' | 'decided_by' | 'refusal_reason'>,
): Promise<CapProposal | null> {
  const [row] = await tx<CapProposal[]>`
    update cap_proposals
       set status = ${status}, decided_by = ${decided_by}, decided_at = clock_now(), refusal_reason = ${refusal_reason}
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.id}
       and status = 'proposed'
    returning ${tx(columns)}`
  return row ?? null
}

/** Ends the waiting proposals for these caps, because the caps change. Returns those that ended. The caller has locked the merchant. */
export function supersedeProposals(
  tx: Tx,
  { merchant_id, livemode }: Tenant,
  caps: readonly CapName[],
  decided_by: string,
): Promise<CapProposal[]> {
  return tx<CapProposal[]>`
    update cap_proposals
       set status = 'superseded', decided_by = ${decided_by}, decided_at = clock_now()
     where merchant_id = ${merchant_id} and livemode = ${livemode} and cap = any(${caps})
       and status = 'proposed'
    returning ${tx(columns)}`
}
