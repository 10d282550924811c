import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { Msisdn } from '../values/msisdn.ts'
import type { Page, PageWanted } from '../values/page.ts'
import { type PayoutRequest, type RequestStatus, viewPayoutRequest } from './payout-request.ts'
import { type ListedRequest, readRequestsPage, readWaitingRequests } from './request-store.ts'

/** A request as staff see it: with its merchant and its expiry, and only the last four digits of the number. */
export type RequestForStaff = PayoutRequest & { merchant_id: number; operator: string | null; expires_at: string }

/** Payout requests. Waiting ones come oldest first. With another status, or any (`status: null`), newest first. */
export async function listRequests(
  db: Db,
  wanted: PageWanted & { tenant: Tenant | null; status: RequestStatus | null },
): Promise<Page<RequestForStaff>> {
  const waiting = wanted.status === 'pending_approval'
  const { rows, after } = await (waiting ? readWaitingRequests(db, wanted) : readRequestsPage(db, wanted))
  return { rows: rows.map(viewForStaff), after }
}

function viewForStaff(row: ListedRequest): RequestForStaff {
  const view = viewPayoutRequest(row)
  const beneficiary = { ...view.beneficiary, msisdn: Msisdn.stored(row.msisdn).masked }
  const { merchant_id, operator, expires_at } = row
  return { ...view, beneficiary, merchant_id, operator, expires_at: expires_at.toISOString() }
}
