import type { Db } from '../platform/postgres/database.ts'
import type { Tenant } from '../values/caller.ts'
import { idsBetween } from '../values/ids.ts'
import type { PageWanted } from '../values/page.ts'
import { type AmountSource, amountSource } from './link-address.ts'
import type { SessionRow, SessionStatus } from './session.ts'

// Sessions as a merchant's people read them.

/** The filters of a list of sessions; null: any. A session must match all that are given. */
export type SessionFilters = {
  readonly status: SessionStatus | null
  /** Opened from this link. */
  readonly link_id: string | null
  /** Made from this moment on, and before that one. */
  readonly created_from: Date | null
  readonly created_before: Date | null
}

export type ListedSession = Pick<
  SessionRow,
  | 'id'
  | 'link_id'
  | 'status'
  | 'amount'
  | 'description'
  | 'reference'
  | 'min_amount'
  | 'amount_in_address'
  | 'attempts'
  | 'payment_id'
  | 'created_at'
  | 'expires_at'
  | 'paid_at'
>

/**
 * The sessions of a merchant that filters match, the newest first, in the order of the primary key, of a link's own index, or of the index of
 * states.
 */
export function readSessionsPage(
  db: Db,
  { merchant_id, livemode }: Tenant,
  { status, link_id, created_from, created_before }: SessionFilters,
  { limit, after }: PageWanted,
): Promise<ListedSession[]> {
  const { from, before } = idsBetween('cs', { created_from, created_before })
  return db<ListedSession[]>`
    select id, link_id, status, amount, description, reference, min_amount, amount_in_address, attempts,
           payment_id, created_at, expires_at, paid_at
      from checkout_sessions
     where merchant_id = ${merchant_id} and livemode = ${livemode}
       and id >= ${from} and id < ${before}
       ${after === null ? db`` : db`and id < ${after}`}
       ${status === null ? db`` : db`and status = ${status}`}
       ${link_id === null ? db`` : db`and link_id = ${link_id}`}
       ${created_from === null ? db`` : db`and created_at >= ${created_from}`}
       ${created_before === null ? db`` : db`and created_at < ${created_before}`}
     order by id desc
     limit ${limit}`
}

/** The label of a payment page: the merchant's reference, and who set the amount. */
export type SessionLabel = { readonly reference: string | null; readonly amount_source: AmountSource }

/** The labels of the sessions that payments belong to, by the id of the session. Payments without one are left out. */
export async function readLabels(
  db: Db,
  { merchant_id, livemode }: Tenant,
  payments: readonly { readonly checkout_session_id: string | null }[],
): Promise<ReadonlyMap<string, SessionLabel>> {
  const ids = payments.flatMap(({ checkout_session_id }) => checkout_session_id ?? [])
  if (ids.length === 0) return new Map()
  const rows = await db<Pick<SessionRow, 'id' | 'reference' | 'min_amount' | 'amount_in_address'>[]>`
    select id, reference, min_amount, amount_in_address
      from checkout_sessions
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = any(${ids})`
  return new Map(rows.map((row) => [row.id, { reference: row.reference, amount_source: amountSource(row) }]))
}
