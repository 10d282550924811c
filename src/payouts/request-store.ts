import type { OrderKey } from '../operators/reference.ts'
import type { Db, Tx } from '../platform/postgres/database.ts'
import { type RowsWanted, readNewestPage, readWaitingPage } from '../platform/postgres/row-pages.ts'
import { findKeyById, given } from '../platform/postgres/rows.ts'
import { secondsSince } from '../platform/postgres/seconds-since.ts'
import type { Tenant } from '../values/caller.ts'
import type { Page, PageWanted } from '../values/page.ts'
import type { PayoutRequestRow } from './payout-request.ts'

export type RequestKey = Tenant & { request_id: string }

/** A request to insert. It waits for approval. */
export type NewRequest = Omit<PayoutRequestRow, 'status' | 'payout_id' | 'decided_at'> & {
  order_key: OrderKey
  expiry_days: number
}

/** The columns that a request has from the start. */
const madeColumns = [
  'merchant_id',
  'livemode',
  'id',
  'reason',
  'cap',
  'amount',
  'currency',
  'beneficiary_id',
  'is_inline',
  'name',
  'label',
  'msisdn',
  'operator',
  'reference',
  'made_by',
  'created_at',
] as const

const columns = [...madeColumns, 'status', 'payout_id', 'decided_at']

/** Inserts requests. Their expiry is computed from the database's clock. */
export function insertRequests(tx: Tx, requests: readonly NewRequest[]): void {
  const rows = requests.map(({ order_key, ...request }) => ({ ...request, order_key_hex: order_key.toString('hex') }))
  tx.send(tx`
    insert into payout_requests (${tx(madeColumns)}, order_key, expires_at)
    select ${tx(madeColumns)}, decode(order_key_hex, 'hex'), clock_now() + make_interval(days => expiry_days::integer)
      from ${given(tx, 'payout_requests r', rows, [...madeColumns, 'order_key_hex', 'expiry_days'])}`)
}

/** One request. Null when it is not the caller's. */
export async function readRequest(db: Db, key: RequestKey): Promise<PayoutRequestRow | null> {
  const [row] = await db<PayoutRequestRow[]>`
    select ${db(columns)}
      from payout_requests
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.request_id}`
  return row ?? null
}

/** Finds a request by its id alone. Null when there is none. */
export const findPayoutRequest = (db: Db, id: string): Promise<RequestKey | null> =>
  findKeyById(db, 'payout_requests', 'request_id', id)

/** `is_over`: its time has passed, even when the sweep has not ended it yet. */
export type LockedRequest = PayoutRequestRow & {
  /** Null: an earlier version made the request. */
  order_key: OrderKey | null
  decided_by: string | null
  decline_reason: string | null
  is_over: boolean
}

/** Locks a request until the transaction ends. Null when it is not the caller's. */
export async function lockRequest(tx: Tx, key: RequestKey): Promise<LockedRequest | null> {
  const [row] = await tx<LockedRequest[]>`
    select ${tx(columns)}, order_key, decided_by, decline_reason, expires_at <= clock_now() as is_over
      from payout_requests
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.request_id}
       for no key update`
  return row ?? null
}

/** Writes the decisions on locked requests. The database refuses a decision by the maker. */
export function updateRequests(tx: Tx, decided: readonly LockedRequest[]): void {
  for (const { merchant_id, livemode, id, status, decided_by, decline_reason, payout_id, decided_at } of decided) {
    tx.send(tx`
      update payout_requests
         set status = ${status}, decided_by = ${decided_by}, decline_reason = ${decline_reason}, payout_id = ${payout_id},
             decided_at = ${decided_at}
       where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${id}`)
  }
}

/** Waiting requests whose time is over, oldest first, except those in `without`. */
export async function readExpiredRequests(db: Db, limit: number, without: readonly string[]): Promise<RequestKey[]> {
  return db<RequestKey[]>`
    select merchant_id, livemode, id as request_id
      from payout_requests
     where status = 'pending_approval' and expires_at <= clock_now() and id <> all(${without})
     order by expires_at
     limit ${limit}`
}

/** The columns of a request in lists. */
export const listedColumns = [...columns, 'expires_at']

/** A request as lists for staff show it. */
export type ListedRequest = PayoutRequestRow & { expires_at: Date }

/** A page of requests, newest first. */
export function readRequestsPage(db: Db, wanted: RowsWanted & PageWanted): Promise<Page<ListedRequest>> {
  return readNewestPage<ListedRequest>(db, { table: 'payout_requests', columns: listedColumns, prefix: 'por' }, wanted)
}

/** Waiting requests, oldest first. */
export function readWaitingRequests(
  db: Db,
  wanted: { tenant: Tenant | null } & PageWanted,
): Promise<Page<ListedRequest>> {
  const waiting = db`status = 'pending_approval'`
  return readWaitingPage<ListedRequest>(db, { table: 'payout_requests', columns: listedColumns, waiting }, wanted)
}

/** Seconds for which the oldest waiting request has waited; 0 when there is none. */
export async function readRequestWait(db: Db): Promise<number> {
  return secondsSince(
    db,
    db`
      select created_at
        from payout_requests
       where status = 'pending_approval'
       order by id
       limit 1`,
  )
}
