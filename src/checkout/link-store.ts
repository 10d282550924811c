import type { Db, Statement, Tx } from '../platform/postgres/database.ts'
import { findKeyById, given, matching, sameRow } from '../platform/postgres/rows.ts'
import type { Tenant } from '../values/caller.ts'
import { idsBetween } from '../values/ids.ts'
import type { PageWanted } from '../values/page.ts'
import type { LinkRow, LinkSituation } from './link.ts'
import { insertTokens } from './store.ts'

export type LinkKey = Tenant & { link_id: string }

/** A new link with the hash of its token. */
export type NewLink = Pick<
  LinkRow,
  | 'merchant_id'
  | 'livemode'
  | 'id'
  | 'amount'
  | 'min_amount'
  | 'max_amount'
  | 'currency'
  | 'reusable'
  | 'description'
  | 'reference'
  | 'whatsapp'
  | 'till_id'
  | 'expires_at'
  | 'created_at'
> & { token_hash: Buffer }

const columns = [
  'merchant_id',
  'livemode',
  'id',
  'status',
  'amount',
  'min_amount',
  'max_amount',
  'currency',
  'reusable',
  'description',
  'reference',
  'whatsapp',
  'handle',
  'till_id',
  'expires_at',
  'taken_by',
  'created_at',
  'closed_at',
]

/** Inserts a link and the hash of its token, which leads to it. */
export function insertLink(tx: Tx, link: NewLink): void {
  const { merchant_id, livemode, id } = link
  tx.send(tx`
    insert into payment_links
      (merchant_id, livemode, id, amount, min_amount, max_amount, currency, reusable, description, reference, whatsapp, till_id,
       expires_at, created_at)
    values (${merchant_id}, ${livemode}, ${id}, ${link.amount}, ${link.min_amount}, ${link.max_amount}, ${link.currency},
            ${link.reusable}, ${link.description}, ${link.reference}, ${link.whatsapp},
            ${link.till_id}, ${link.expires_at}, ${link.created_at})`)
  insertTokens(tx, [{ ...link, subject_id: id }])
}

/** Finds a link by its id alone. Null when there is none. */
export const findLink = (db: Db, id: string): Promise<LinkKey | null> => findKeyById(db, 'payment_links', 'link_id', id)

/** One link. Null when it is not this merchant's. */
export async function readLink(db: Db, key: LinkKey): Promise<LinkRow | null> {
  const [row] = await db<LinkRow[]>`
    select ${db(columns)}, expires_at is not null and expires_at <= clock_now() as is_over
      from payment_links
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.link_id}`
  return row ?? null
}

/** A merchant's newest links. */
export async function readLinks(db: Db, tenant: Tenant, limit: number): Promise<LinkRow[]> {
  return db<LinkRow[]>`
    select ${db(columns)}, expires_at is not null and expires_at <= clock_now() as is_over
      from payment_links
     where merchant_id = ${tenant.merchant_id} and livemode = ${tenant.livemode}
     order by id desc
     limit ${limit}`
}

/** The newest open permanent codes of a merchant: paid any number of times, with amounts that payers choose, and without an end. Their ids. */
export async function readPermanentCodes(db: Db, { merchant_id, livemode }: Tenant, limit: number): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select id
      from payment_links
     where merchant_id = ${merchant_id} and livemode = ${livemode}
       and reusable and amount is null and expires_at is null and status = 'open'
     order by id desc
     limit ${limit}`
  return rows.map(({ id }) => id)
}

/** The state of a link for a visitor, as `linkSituation` computes it. */
function situationIn(db: Db): Statement<object[]> {
  return db`
    case when status <> 'open' then status
         when not reusable and taken_by is not null then 'busy'
         when expires_at <= clock_now() then 'expired'
         else 'open' end`
}

/** A link with the number and the sum of its paid sessions. */
export type LinkWithSums = LinkRow & { paid_count: number; paid_amount: number }

/** The filters of a list of links; null: any. A link must match all that are given. */
export type LinkFilters = {
  readonly situation: LinkSituation | null
  /** A part of the description in any letter case, or the id of the link. */
  readonly text: string | null
  /** The period of its creation, from the first moment until before the second. */
  readonly created_from: Date | null
  readonly created_before: Date | null
  /** Only permanent codes: paid any number of times, with amounts that payers choose, and without an end. */
  readonly permanent?: boolean
}

/** A merchant's links that filters match, before this one, newest first, with the number of their paid sessions and the sum in francs. */
export async function readLinksWithSums(
  db: Db,
  { merchant_id, livemode }: Tenant,
  { situation, text, created_from, created_before, permanent = false }: LinkFilters,
  { after, limit }: PageWanted,
): Promise<LinkWithSums[]> {
  const { from, before } = idsBetween('lnk', { created_from, created_before })
  return db<LinkWithSums[]>`
    select ${db(columns.map((column) => `l.${column}`))}, l.expires_at is not null and l.expires_at <= clock_now() as is_over,
           paid.paid_count, paid.paid_amount
      from (select ${db(columns)}
              from payment_links
             where merchant_id = ${merchant_id} and livemode = ${livemode}
               and id >= ${from} and id < ${before}
               ${after === null ? db`` : db`and id < ${after}`}
               ${situation === null ? db`` : db`and ${situationIn(db)} = ${situation}`}
               ${text === null ? db`` : db`and (id = ${text} or strpos(lower(description), lower(${text})) > 0)`}
               ${permanent ? db`and reusable and amount is null and expires_at is null` : db``}
               ${created_from === null ? db`` : db`and created_at >= ${created_from}`}
               ${created_before === null ? db`` : db`and created_at < ${created_before}`}
             order by id desc
             limit ${limit}) l
     cross join lateral (
       select count(*)::integer as paid_count, coalesce(sum(amount), 0)::bigint as paid_amount
         from checkout_sessions
        where merchant_id = ${merchant_id} and livemode = ${livemode} and link_id = l.id and status = 'paid') paid
     order by l.id desc`
}

/** A paid session of a link. */
export type PaidSession = { id: string; payment_id: string; amount: number; paid_at: Date }

/** The paid sessions of a link before this one, newest first. */
export async function readPaidSessionsOf(
  db: Db,
  { merchant_id, livemode, link_id }: LinkKey,
  { after, limit }: PageWanted,
): Promise<PaidSession[]> {
  return db<PaidSession[]>`
    select id, payment_id, amount, paid_at
      from checkout_sessions
     where merchant_id = ${merchant_id} and livemode = ${livemode} and link_id = ${link_id} and status = 'paid'
       and id < ${after ?? 'cs_z'}
     order by id desc
     limit ${limit}`
}

/** Locks links in key order, after the sessions of the same transaction. */
export async function lockLinks(tx: Tx, keys: readonly LinkKey[]): Promise<LinkRow[]> {
  return tx<LinkRow[]>`
    select ${tx(columns.map((column) => `l.${column}`))},
           l.expires_at is not null and l.expires_at <= clock_now() as is_over
      from ${matching(tx, 'payment_links l', keys, { id: 'link_id' })}
     order by l.merchant_id, l.livemode, l.id
       for no key update of l`
}

/** Writes locked links that changed state. */
export async function updateLinks(tx: Tx, links: readonly LinkRow[]): Promise<void> {
  await tx`
    update payment_links l
       set status = u.status, taken_by = u.taken_by, closed_at = u.closed_at
      from ${given(tx, 'payment_links u', links, ['merchant_id', 'livemode', 'id', 'status', 'taken_by', 'closed_at'])}
     where ${sameRow(tx, 'l', 'u', links, 'id')}`
}

/** Writes the sessions that hold locked links. */
export async function updateHolders(tx: Tx, links: readonly LinkRow[]): Promise<void> {
  await tx`
    update payment_links l
       set taken_by = u.taken_by
      from ${given(tx, 'payment_links u', links, ['merchant_id', 'livemode', 'id', 'taken_by'])}
     where ${sameRow(tx, 'l', 'u', links, 'id')}`
}

/** Writes the newest handle of a locked link. */
export async function updateHandle(
  tx: Tx,
  { merchant_id, livemode, link_id, handle }: LinkKey & { handle: string },
): Promise<void> {
  await tx`
    update payment_links
       set handle = ${handle}
     where merchant_id = ${merchant_id} and livemode = ${livemode} and id = ${link_id}`
}
