import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import type { CapProposal } from './cap-proposal.ts'
import * as store from './proposal-store.ts'

/** Proposals of a merchant shown together. */
const SHOWN_MAX = 20
/** Proposals of all merchants that wait, shown together at most. */
const WAITING_MAX = 500

/** The newest proposals of a merchant in one mode, the newest first. */
export function readCapProposals(db: Db, tenant: Tenant): Promise<CapProposal[]> {
  return store.readProposals(db, tenant, SHOWN_MAX)
}

/** The proposals of every merchant in one mode that wait for the team, the oldest first. */
export function readWaitingCapProposals(db: Db, livemode: boolean): Promise<CapProposal[]> {
  return store.readWaitingProposals(db, livemode, WAITING_MAX)
}

/** One proposal; null when there is none. For the team, which may see every merchant's. */
export function readCapProposal(db: Db, id: string): Promise<CapProposal | null> {
  return store.findProposal(db, id)
}
