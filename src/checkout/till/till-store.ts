import type { PaymentStatus } from '../../payments/payment.ts'
import type { Db, Statement, Tx } from '../../platform/postgres/database.ts'
import { findKeyById, insertRows } from '../../platform/postgres/rows.ts'
import type { Tenant } from '../../values/caller.ts'
import { firstIdAt } from '../../values/ids.ts'
import { insertTokens } from '../store.ts'
import { IDLE_DAYS, SENT_HOURS, type TillPhone } from './till-phone.ts'

export type PhoneKey = Tenant & { phone_id: string }

export type NewPhone = Pick<
  TillPhone,
  'merchant_id' | 'livemode' | 'id' | 'link_id' | 'name' | 'invited_by' | 'created_at' | 'expires_at'
> & { token_hash: Buffer }

function phoneColumns(db: Db): Statement<object[]> {
  return db`
    merchant_id, livemode, id, link_id, name, invited_by, created_at, expires_at, paired_at, seen_at, ended_at,
    ended_at is null and case when paired_at is null then expires_at > clock_now()
                              else seen_at > clock_now() - make_interval(days => ${IDLE_DAYS}) end as is_live`
}

/** Inserts invitations and the hashes of their tokens. */
export function insertPhones(tx: Tx, phones: readonly NewPhone[]): void {
  insertRows(tx, 'till_phones', phones)
  insertTokens(
    tx,
    phones.map(({ id, ...phone }) => ({ ...phone, subject_id: id })),
  )
}

/** Finds a telephone by its id alone. Null when there is none. */
export const findPhone = (db: Db, id: string): Promise<PhoneKey | null> =>
  findKeyById(db, 'till_phones', 'phone_id', id)

/** One telephone. Null when it is not this merchant's. */
export async function readPhone(db: Db, key: PhoneKey): Promise<TillPhone | null> {
  const [row] = await db<TillPhone[]>`
    select ${phoneColumns(db)}
      from till_phones
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.phone_id}`
  return row ?? null
}

/** Locks one telephone, so that it is ended once. Null when it is not this merchant's. */
export async function lockPhone(tx: Tx, key: PhoneKey): Promise<TillPhone | null> {
  const [row] = await tx<TillPhone[]>`
    select ${phoneColumns(tx)}
      from till_phones
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.phone_id}
       for no key update`
  return row ?? null
}

/** The telephones of a till that nobody has ended, those in force first, then the newest. A till has few in force, and any number of lapsed invitations. */
export async function readPhonesOf(db: Db, key: Tenant & { link_id: string }): Promise<TillPhone[]> {
  return db<TillPhone[]>`
    select ${phoneColumns(db)}
      from till_phones
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and link_id = ${key.link_id} and ended_at is null
     order by is_live desc, id desc
     limit 100`
}

/** Ends a locked telephone. */
export async function endPhones(
  tx: Tx,
  phones: readonly (PhoneKey & { ended_by: string; ended_at: Date })[],
): Promise<void> {
  for (const phone of phones) {
    await tx`
      update till_phones
         set ended_at = ${phone.ended_at}, ended_by = ${phone.ended_by}
       where merchant_id = ${phone.merchant_id} and livemode = ${phone.livemode} and id = ${phone.phone_id}`
  }
}

/**
 * Pairs the telephone that presents an invitation. A compare-and-set: of two that present the same one, one gets it.
 * @returns its till; null when the invitation was used, ended or has lapsed
 */
export async function pairPhone(tx: Tx, key: PhoneKey, session_hash: Buffer): Promise<string | null> {
  const [paired] = await tx<{ link_id: string }[]>`
    update till_phones
       set paired_at = clock_now(), seen_at = clock_now(), session_hash = ${session_hash}
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.phone_id}
       and paired_at is null and ended_at is null and expires_at > clock_now()
    returning link_id`
  if (paired === undefined) return null
  insertTokens(tx, [{ ...key, token_hash: session_hash, subject_id: key.phone_id }])
  return paired.link_id
}

/** The telephone of a cookie, if it is paired and in force. An invitation's token is no cookie: the hash must be the session's. */
export async function readPairedPhone(db: Db, key: PhoneKey, session_hash: Buffer): Promise<TillPhone | null> {
  const [row] = await db<TillPhone[]>`
    select ${phoneColumns(db)}
      from till_phones
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.phone_id}
       and session_hash = ${session_hash}`
  return row?.is_live === true ? row : null
}

/** Notes that a telephone was used, at most once an hour. */
export async function noteSeen(db: Db, key: PhoneKey): Promise<void> {
  await db`
    update till_phones
       set seen_at = clock_now()
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.phone_id}
       and ended_at is null and seen_at < clock_now() - interval '1 hour'`
}

/** A payment as a telephone of a till sees it: of the payer's number the last two digits. */
export type TillPayment = {
  session_id: string
  payment_id: string
  status: PaymentStatus
  amount: number
  min_amount: number | null
  amount_in_address: boolean
  reference: string | null
  operator: string | null
  msisdn_end: string | null
  /** For people with an account; a telephone of a till is told the last two digits. */
  last4: string | null
  description: string | null
  created_at: Date
  succeeded_at: Date | null
}

/** The words of a question: the code of a receipt, an amount in francs, a reference. A payment that matches one of them is found. Null: none of the kind. */
export type TillQuestion = {
  readonly code: string | null
  readonly amount: number | null
  readonly reference: string | null
  /** The last four digits of the payer's number. Absent: not asked for. */
  readonly last4?: string
}

/** Sessions open for hours at most, so the index on a link's sessions by id bounds the read. */
const SESSION_HOURS_MAX = 24

/**
 * The last payments through tills that match a question, the newest first: of each payment page the latest attempt.
 * @param since the first moment of a payment that counts, in milliseconds
 * @param asked null: all
 */
export async function readTillPayments(
  db: Db,
  { merchant_id, livemode, link_ids }: Tenant & { link_ids: readonly string[] },
  asked: TillQuestion | null,
  { since, limit }: { since: number; limit: number },
): Promise<TillPayment[]> {
  const from = firstIdAt('cs', since - SESSION_HOURS_MAX * 3_600_000)
  return db<TillPayment[]>`
    select s.id as session_id, p.id as payment_id, p.status, s.amount, s.min_amount, s.amount_in_address, s.reference, s.description,
           p.operator, p.msisdn_end, p.msisdn_last4 as last4, p.created_at, p.succeeded_at
      from checkout_sessions s
      join shown_payments p on (p.merchant_id, p.livemode, p.id) = (s.merchant_id, s.livemode, s.payment_id)
     where s.merchant_id = ${merchant_id} and s.livemode = ${livemode}
       and s.link_id in (${linksOf(db, { merchant_id, livemode, link_ids, since })}) and s.id >= ${from}
       and coalesce(p.succeeded_at, p.created_at) >= ${new Date(since)}
       ${
         asked === null
           ? db``
           : db`and (right(p.id, 4) = ${asked.code}::text or s.amount = ${asked.amount}::bigint
                     or lower(s.reference) = lower(${asked.reference}::text) or p.msisdn_last4 = ${asked.last4 ?? null}::text)`
       }
     order by s.id desc
     limit ${limit}`
}

/** The codes of tills, and the links that they sent lately: those are payable for days at most. */
function linksOf(
  db: Db,
  { merchant_id, livemode, link_ids, since }: Tenant & { link_ids: readonly string[]; since: number },
): Statement<object[]> {
  const from = firstIdAt('lnk', since - (SENT_HOURS + SESSION_HOURS_MAX) * 3_600_000)
  return db`
    select unnest(${link_ids}::text[])
     union all
    select id
      from payment_links
     where merchant_id = ${merchant_id} and livemode = ${livemode} and till_id = any(${link_ids}::text[]) and id >= ${from}`
}

/** The takings of a till in a period. Amounts in francs, also of payments refunded since. */
export type TillTakings = { readonly link_id: string; readonly count: number; readonly amount: number }

/** Adds up the pages that were paid at tills from a moment on. A till without one is left out. @param since in milliseconds */
export async function readTillTakings(
  db: Db,
  { merchant_id, livemode, link_ids }: Tenant & { link_ids: readonly string[] },
  since: number,
): Promise<TillTakings[]> {
  const from = firstIdAt('cs', since - SESSION_HOURS_MAX * 3_600_000)
  return db<TillTakings[]>`
    select coalesce(l.till_id, l.id) as link_id, count(*)::integer as count, sum(s.amount)::bigint as amount
      from checkout_sessions s
      join payment_links l on (l.merchant_id, l.livemode, l.id) = (s.merchant_id, s.livemode, s.link_id)
     where s.merchant_id = ${merchant_id} and s.livemode = ${livemode}
       and s.link_id in (${linksOf(db, { merchant_id, livemode, link_ids, since })}) and s.id >= ${from}
       and s.status = 'paid' and s.paid_at >= ${new Date(since)}
     group by 1`
}
