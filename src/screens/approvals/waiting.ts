import { newestKeys } from '../../api-keys/find-keys.ts'
import { type BatchToDecide, countBatchesFor, readBatchesFor } from '../../payout-batches/approval-store.ts'
import {
  countRequestsFor,
  type PartOfRequests,
  type RequestToDecide,
  readRequestsFor,
  type WaitingFor,
} from '../../payouts/approval-store.ts'
import { findMembers } from '../../people/find-persons.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import { type Page, type PageWanted, pageOf } from '../../values/page.ts'
import type { Names } from './words.ts'

/** A request or batch in a list. */
export type Approval = { kind: 'request'; row: RequestToDecide } | { kind: 'batch'; row: BatchToDecide }

/** Returns an identifier without its prefix, which orders requests and batches together by time. */
export function timeOf(id: string): string {
  return id.slice(id.indexOf('_') + 1)
}

/**
 * Reads a page of requests and batches for one person: those that wait oldest first, because they expire first, or the others newest
 * first.
 * @param wanted `after` is `timeOf` of the last one on the previous page
 */
export async function readApprovals(
  db: Db,
  tenant: Tenant,
  { person, part, limit, after }: { person: string; part: PartOfRequests } & PageWanted,
): Promise<Page<Approval>> {
  const from = (prefix: string) => ({
    person,
    part,
    limit: limit + 1,
    after: after === null ? null : `${prefix}_${after}`,
  })
  const [requests, batches] = await Promise.all([
    readRequestsFor(db, tenant, from('por')),
    readBatchesFor(db, tenant, from('pob')),
  ])
  const all: Approval[] = [
    ...requests.map((row) => ({ kind: 'request' as const, row })),
    ...batches.map((row) => ({ kind: 'batch' as const, row })),
  ]
  const sign = part === 'waiting' ? 1 : -1
  all.sort((one, other) => (timeOf(one.row.id) < timeOf(other.row.id) ? -sign : sign))
  return pageOf(all, limit, ({ row }) => timeOf(row.id))
}

/** Counts all that waits and that this person may decide. Their own requests are for others. */
export async function countApprovals(db: Db, tenant: Tenant, person: string): Promise<WaitingFor> {
  const [requests, batches] = await Promise.all([
    countRequestsFor(db, tenant, person),
    countBatchesFor(db, tenant, person),
  ])
  return {
    count: requests.count + batches.count,
    amount: requests.amount + batches.amount,
    first_expires_at: requests.first_expires_at,
    first_id: requests.first_id ?? batches.first_id,
  }
}

/** The most keys whose names are read. A merchant has a handful. */
const KEYS_NAMED = 100

/** Reads the names of a merchant's people and API keys, by the text under which they act. */
export async function readNames(db: Db, tenant: Tenant): Promise<Names> {
  const [members, keys] = await Promise.all([
    findMembers(db, tenant.merchant_id),
    newestKeys(db, tenant, { limit: KEYS_NAMED, after: null }),
  ])
  return new Map([
    ...members.map(({ email, name }): [string, string] => [email, name]),
    ...keys.rows.flatMap(({ key_id, name }): [string, string][] => (name === null ? [] : [[`key:${key_id}`, name]])),
  ])
}

/** Returns the francs of a request or batch. */
export function amountOf(approval: Approval): number {
  return approval.kind === 'request' ? approval.row.amount : approval.row.total_amount
}
