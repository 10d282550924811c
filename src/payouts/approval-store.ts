import type { Db } from '../platform/postgres/database.ts'
import { given } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'
import type { PageWanted } from '../values/page.ts'
import type { PayoutRequestRow } from './payout-request.ts'
import { listedColumns, type RequestKey } from './request-store.ts'

// Payout requests for the merchant's makers and approvers.

/** A request with its decision, if any. `is_over`: its time has passed, even when the sweep has not ended it yet. */
export type RequestToDecide = PayoutRequestRow & {
  decided_by: string | null
  /** The reason that the person gave for declining it. */
  decline_reason: string | null
  expires_at: Date
  is_over: boolean
}

const columns = (db: Db) =>
  db`${db([...listedColumns, 'decided_by', 'decline_reason'])}, expires_at <= clock_now() as is_over`

/** One request. Null when it is not this merchant's. */
export async function readRequestToDecide(db: Db, key: RequestKey): Promise<RequestToDecide | null> {
  const [row] = await db<RequestToDecide[]>`
    select ${columns(db)}
      from payout_requests
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.request_id}`
  return row ?? null
}

/** The request that became this payout. Null when no cap held the payout back, or when it is not this merchant's. */
export async function readRequestOfPayout(
  db: Db,
  { merchant_id, livemode }: Tenant,
  payout_id: string,
): Promise<RequestToDecide | null> {
  const [row] = await db<RequestToDecide[]>`
    select ${columns(db)}
      from payout_requests
     where merchant_id = ${merchant_id} and livemode = ${livemode} and payout_id = ${payout_id}`
  return row ?? null
}

/**
 * A list of requests for one person. `waiting`: requests of others that wait. `mine`: the person's own. `decided`:
 * those that ended.
 */
export type PartOfRequests = 'waiting' | 'mine' | 'decided'

/** One list of a merchant's requests for a person. Waiting requests come oldest first, the others newest first. */
export function readRequestsFor(
  db: Db,
  { merchant_id, livemode }: Tenant,
  { person, part, limit, after }: { person: string; part: PartOfRequests } & PageWanted,
): Promise<RequestToDecide[]> {
  const wanted = {
    waiting: () => db`
       and status = 'pending_approval' and expires_at > clock_now() and person_in(made_by) <> person_in(${person})
       and id > ${after ?? ''}
     order by id`,
    mine: () => db`
       and person_in(made_by) = person_in(${person}) and id < ${after ?? 'por_z'}
     order by id desc`,
    decided: () => db`
       and (status <> 'pending_approval' or expires_at <= clock_now()) and id < ${after ?? 'por_z'}
     order by id desc`,
  }
  return db<RequestToDecide[]>`
    select ${columns(db)}
      from payout_requests
     where merchant_id = ${merchant_id} and livemode = ${livemode} ${wanted[part]()}
     limit ${limit}`
}

/**
 * Requests or batches that wait for a person: their number, their sum in francs, when the first of them expires, and the oldest one.
 */
export type WaitingFor = { count: number; amount: number; first_expires_at: Date | null; first_id: string | null }

/** Counts the waiting requests that this person did not make. */
export async function countRequestsFor(db: Db, { merchant_id, livemode }: Tenant, person: string): Promise<WaitingFor> {
  const [row] = await db<WaitingFor[]>`
    select count(*)::integer as count, coalesce(sum(amount), 0)::bigint as amount, min(expires_at) as first_expires_at,
           min(id) as first_id
      from payout_requests
     where merchant_id = ${merchant_id} and livemode = ${livemode} and status = 'pending_approval'
       and expires_at > clock_now() and person_in(made_by) <> person_in(${person})`
  return row!
}

/**
 * For each of these requests, another waiting request with the same amount and number. Requests without such a twin are
 * left out.
 */
export async function readTwins(
  db: Db,
  { merchant_id, livemode }: Tenant,
  requests: readonly Pick<PayoutRequestRow, 'id' | 'msisdn' | 'amount'>[],
): Promise<{ id: string; twin_id: string }[]> {
  return db<{ id: string; twin_id: string }[]>`
    select w.id, max(r.id) as twin_id
      from ${given(db, 'payout_requests w', requests, ['id', 'msisdn', 'amount'])}
      join payout_requests r
        on r.merchant_id = ${merchant_id} and r.livemode = ${livemode} and r.msisdn = w.msisdn and r.amount = w.amount
     where r.id <> w.id and r.status = 'pending_approval' and r.expires_at > clock_now()
     group by w.id`
}
