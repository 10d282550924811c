import { readShownMerchant } from '../../merchants/store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../platform/postgres/database.ts'
import { shortCode } from '../../values/short-reference.ts'
import { type AmountSource, amountSource } from '../link-address.ts'
import { readLink } from '../link-store.ts'
import { findByToken } from '../store.ts'
import { readQuestion } from './read-question.ts'
import { hashOfTill } from './till-cookie.ts'
import { SEEN_HOURS, type TillPhone } from './till-phone.ts'
import { noteSeen, readPairedPhone, readTillPayments, type TillPayment } from './till-store.ts'

/** The most payments on the page of a till. */
const SHOWN_MAX = 50

/** The answer to "is it paid?". Only `paid` means that the goods may leave. */
export type TillStatus = 'paid' | 'waiting' | 'not_paid' | 'refunded' | 'part_refunded'

const statuses = {
  created: 'waiting',
  pending: 'waiting',
  succeeded: 'paid',
  failed: 'not_paid',
  expired: 'not_paid',
  refunded: 'refunded',
  partially_refunded: 'part_refunded',
} as const satisfies Record<TillPayment['status'], TillStatus>

/** A payment as a till shows it, in HTML and in JSON. Amounts in francs, times in UTC. */
export type TillResult = {
  readonly status: TillStatus
  readonly amount: number
  readonly amount_source: AmountSource
  readonly reference: string | null
  readonly code: string
  readonly operator: string | null
  readonly msisdn_end: string | null
  readonly paid_at: string | null
}

/** The facts of the page of a till. */
export type TillFacts = {
  readonly merchant_name: string
  readonly livemode: boolean
  readonly till_name: string | null
  readonly phone_name: string
  /** The question as it was typed; empty without one. */
  readonly asked: string
  readonly results: readonly TillResult[]
}

export type TillDependencies = { readonly sql: Sql; readonly clock: Clock }

/** The telephone of a cookie. Null when it is unknown, ended or unused for too long. */
export async function findPairedPhone(sql: Sql, cookie: string): Promise<TillPhone | null> {
  const hash = hashOfTill(cookie)
  const found = await findByToken(sql, hash)
  if (found?.subject_id.startsWith('tph_') !== true) return null
  const { merchant_id, livemode, subject_id } = found
  return readPairedPhone(sql, { merchant_id, livemode, phone_id: subject_id }, hash)
}

/** Reads the payments that a telephone asks about, of the last day and of its till alone. */
export async function readTill({ sql, clock }: TillDependencies, phone: TillPhone, asked: string): Promise<TillFacts> {
  const { merchant_id, livemode, link_id } = phone
  const tenant = { merchant_id, livemode }
  const bounds = { since: clock.milliseconds() - SEEN_HOURS * 3_600_000, limit: SHOWN_MAX }
  const [merchant, link, rows] = await Promise.all([
    readShownMerchant(sql, merchant_id),
    readLink(sql, { ...tenant, link_id }),
    readTillPayments(sql, { ...tenant, link_ids: [link_id] }, asked === '' ? null : readQuestion(asked), bounds),
    noteSeen(sql, { ...tenant, phone_id: phone.id }),
  ])
  return {
    merchant_name: merchant.name,
    livemode,
    till_name: link?.description ?? null,
    phone_name: phone.name,
    asked,
    results: rows.map(resultOf),
  }
}

function resultOf(row: TillPayment): TillResult {
  return {
    status: statuses[row.status],
    amount: row.amount,
    amount_source: amountSource(row),
    reference: row.reference,
    code: shortCode(row.payment_id),
    operator: row.operator,
    msisdn_end: row.msisdn_end,
    paid_at: row.succeeded_at?.toISOString() ?? null,
  }
}
