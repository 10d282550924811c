import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import type { CapProposal } from './cap-proposal.ts'
import * as store from './proposal-store.ts'

/** Most proposals shown of one merchant. */
const SHOWN_MAX = 20
/** Most waiting proposals shown of all merchants together. */
const WAITING_MAX = 500

/** The newest proposals of a merchant in one mode, the newest first. */
export function readCapProposals(db: Db, tenant: Tenant): Promise<CapProposal[]> {
  return store.readProposals(db, tenant, SHOWN_MAX)
}

/** The proposals of all merchants in one mode that wait for the staff, oldest first. */
export function readWaitingCapProposals(db: Db, livemode: boolean): Promise<CapProposal[]> {
  return store.readWaitingProposals(db, livemode, WAITING_MAX)
}

/** One proposal of any merchant, for staff. Null when there is none. */
export function readCapProposal(db: Db, id: string): Promise<CapProposal | null> {
  return store.findProposal(db, id)
}
