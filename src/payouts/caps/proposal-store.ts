import { lockMerchant } from '../../merchants/store.ts'
import { defineEffect } from '../../platform/commands/effects.ts'
import type { Db, Tx } from '../../platform/postgres/database.ts'
import { findKeyById, insertRows, lockById } from '../../platform/postgres/rows.ts'
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

/** Most proposals shown of one merchant. */
const SHOWN_MAX = 20
/** Most waiting proposals shown of all merchants together. */
const WAITING_MAX = 500

/** Adds proposals. The constraint `cap_proposals_standing` refuses one while another for the same cap waits. */
export const addProposal = defineEffect<CapProposal>('new row', (tx, proposals) => {
  insertRows(tx, 'cap_proposals', proposals)
})

/** Locks the proposals for a cap that wait. The caller has locked the merchant. */
export function lockWaiting(tx: Tx, { merchant_id, livemode }: Tenant, cap: CapName): Promise<CapProposal[]> {
  return tx<CapProposal[]>`
    select ${tx(columns)}
      from cap_proposals
     where merchant_id = ${merchant_id} and livemode = ${livemode} and cap = ${cap} and status = 'proposed'
       for no key update`
}

/** Reads a proposal of any merchant, for staff. Null when there is none. */
export async function readCapProposal(db: Db, id: string): Promise<CapProposal | null> {
  const [row] = await db<CapProposal[]>`
    select ${db(columns)}
      from cap_proposals
     where id = ${id}`
  return row ?? null
}

/** Locks a proposal of any merchant until the transaction ends, after its merchant. Null when there is none. */
export async function lockProposal(tx: Tx, id: string): Promise<CapProposal | null> {
  const key = await findKeyById(tx, 'cap_proposals', 'id', id)
  if (key === null) return null
  await lockMerchant(tx, key.merchant_id)
  return lockById<CapProposal>(tx, 'cap_proposals', columns, key)
}

/** The newest proposals of a merchant in one mode, the newest first. */
export function readCapProposals(db: Db, tenant: Tenant): Promise<CapProposal[]> {
  return db<CapProposal[]>`
    select ${db(columns)}
      from cap_proposals
     where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}
     order by id desc
     limit ${SHOWN_MAX}`
}

/** The proposals of all merchants in one mode that wait for the staff, oldest first. */
export function readWaitingCapProposals(db: Db, livemode: boolean): Promise<CapProposal[]> {
  return db<CapProposal[]>`
    select ${db(columns)}
      from cap_proposals
     where status = 'proposed' and livemode = ${livemode}
     order by proposed_at
     limit ${WAITING_MAX}`
}

/** Writes the decisions on locked proposals. The database refuses the proposer, and a second decision. */
export const writeCapDecision = defineEffect<CapProposal>('cap proposal', (tx, decided) => {
  for (const { merchant_id, livemode, id, ...more } of decided) {
    tx.send(tx`
      update cap_proposals
         set status = ${more.status}, decided_by = ${more.decided_by}, decided_at = ${more.decided_at},
             refusal_reason = ${more.refusal_reason}
       where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id}`)
  }
})

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
