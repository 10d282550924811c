import type { Db } from '../platform/postgres/database.ts'
import { given } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'
import type { PageWanted } from '../values/page.ts'
import type { PayoutRequestRow } from './payout-request.ts'
import { listedColumns, type RequestKey } from './request-store.ts'

// Payout requests as the people of a merchant see them who ask and decide.

/** A request with its decision, if there is one. `is_over`: its time has passed, whether the sweep has come to it or not. */
export type RequestToDecide = PayoutRequestRow & {
  decided_by: string | null
  /** The words of the person who declined it. */
  decline_reason: string | null
  expires_at: Date
  is_over: boolean
}

const columns = (db: Db) =>
  db`${db([...listedColumns, 'decided_by', 'decline_reason'])}, expires_at <= clock_now() as is_over`

/** Null when it is not this merchant's. */
export async function readRequestToDecide(db: Db, key: RequestKey): Promise<RequestToDecide | null> {
  const [row] = await db<RequestToDecide[]>`
    select ${columns(db)}
      from payout_requests
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.request_id}`
  return row ?? null
}

/** The request that a payout came of; null: no cap held it back, or it is not this merchant's. */
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

/** The part of the requests that one person looks at: those that wait for somebody else than their maker, their own, those that ended. */
export type PartOfRequests = 'waiting' | 'mine' | 'decided'

/** Requests of a merchant for one person: those that wait with the oldest first, the others with the newest first. */
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

/** Requests or batches that wait for a person: how many, their sum in francs, and the first moment at which one expires. */
export type WaitingFor = { count: number; amount: number; first_expires_at: Date | null }

/** The requests that wait and that this person did not make. */
export async function countRequestsFor(db: Db, { merchant_id, livemode }: Tenant, person: string): Promise<WaitingFor> {
  const [row] = await db<WaitingFor[]>`
    select count(*)::integer as count, coalesce(sum(amount), 0)::bigint as amount, min(expires_at) as first_expires_at
      from payout_requests
     where merchant_id = ${merchant_id} and livemode = ${livemode} and status = 'pending_approval'
       and expires_at > clock_now() and person_in(made_by) <> person_in(${person})`
  return row!
}

/** For each of these requests another one of the same amount to the same number that still waits. One that has none is left out. */
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
