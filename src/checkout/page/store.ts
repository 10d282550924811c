import type { NextAction } from '../../operators/port.ts'
import type { PaymentStatus } from '../../payments/payment.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../words/caller.ts'
import type { FailureCode } from '../../words/failure-codes.ts'
import { Msisdn } from '../../words/msisdn.ts'
import type { ReferenceRange } from '../../words/short-reference.ts'

/** An attempt with what its instruction says, as far as the payer is told. Only the end of the number leaves the database. */
export type AttemptRow = {
  payment_id: string
  status: PaymentStatus
  operator: string | null
  msisdn_end: string | null
  amount: number
  amount_collected: number
  merchant_reference: string | null
  failure_code: FailureCode | null
  next_action: NextAction | null
  code_submitted: boolean
  in_doubt: boolean
  created_at: Date
  succeeded_at: Date | null
  /** When it failed or lapsed. */
  ended_at: Date | null
}

/** Seconds after which an attempt under way takes longer than it should: from a prompt or a typed code on it is the operator's. */
const LONG_SECONDS = 180
/** The same while the payer still has a code to find, to dial or to type, or an app to open. */
const PAYERS_SECONDS = 900

/**
 * The attempt behind a session's page. In doubt while it is under way: we do not know whether the operator has it, what the
 * operator said does not fit, or it takes too long. In doubt after its end: it failed or lapsed, and the operator has
 * reported money all the same; until people have looked, and for good once they gave that money to the merchant.
 */
export async function readAttempt(db: Db, key: Tenant & { payment_id: string }): Promise<AttemptRow | null> {
  const [row] = await db<AttemptRow[]>`
    select p.id as payment_id, p.status, p.operator, right(p.msisdn, 2) as msisdn_end, p.amount, p.amount_collected,
           p.merchant_reference, p.failure_code, i.next_action, c.subject_id is not null as code_submitted,
           case
             when p.status in ('created', 'pending') then
               coalesce(i.state = 'unknown', false)
               or coalesce(c.submitted_at, p.created_at) < clock_now() - make_interval(secs =>
                    case
                      when c.subject_id is null
                           and (i.next_action ->> 'type' in ('enter_code', 'redirect')
                                or i.next_action ->> 'dial_code' is not null)
                      then ${PAYERS_SECONDS}::double precision
                      else ${LONG_SECONDS}::double precision
                    end)
               or exists (select from anomalies a
                           where a.merchant_id = p.merchant_id and a.livemode = p.livemode and a.subject_id = p.id
                             and a.closed_at is null)
             when p.status in ('failed', 'expired') then
               exists (select from anomalies a
                        where a.merchant_id = p.merchant_id and a.livemode = p.livemode and a.subject_id = p.id
                          and a.kind in ('proof_after_refusal', 'amount_differs', 'currency_differs')
                          and (a.closed_at is null
                               or exists (select from anomaly_proposals d
                                           where d.merchant_id = a.merchant_id and d.livemode = a.livemode
                                             and d.anomaly_id = a.id and d.status = 'approved'
                                             and d.resolution = 'credit_available')))
             else false
           end as in_doubt,
           p.created_at, p.succeeded_at,
           case
             when p.status in ('failed', 'expired') then
               coalesce(p.failed_at, i.concluded_at,
                        (select max(m.moved_at)
                           from payment_moves m
                          where m.merchant_id = p.merchant_id and m.livemode = p.livemode and m.payment_id = p.id))
           end as ended_at
      from payments p
      left join instructions i
        on (i.merchant_id, i.livemode, i.subject_id) = (p.merchant_id, p.livemode, p.id)
      left join code_submissions c
        on (c.merchant_id, c.livemode, c.subject_id) = (p.merchant_id, p.livemode, p.id)
     where p.merchant_id = ${key.merchant_id} and p.livemode = ${key.livemode} and p.id = ${key.payment_id}`
  return row ?? null
}

/** The number that an attempt of this session asked; null: it is no attempt of this session's. */
export async function readAttemptNumber(
  db: Db,
  key: Tenant & { session_id: string; payment_id: string },
): Promise<Msisdn | null> {
  const [row] = await db<{ msisdn: string | null }[]>`
    select msisdn
      from payments
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.payment_id}
       and checkout_session_id = ${key.session_id}`
  return row?.msisdn == null ? null : Msisdn.stored(row.msisdn)
}

/** What the team is told of a payment that a reference finds. */
export type FoundPayment = Tenant & {
  payment_id: string
  status: PaymentStatus
  amount_collected: number
  operator: string | null
  msisdn: string | null
  merchant_reference: string | null
  checkout_session_id: string | null
  created_at: Date
}

/** Payments from one identifier to before another that end so: a short stretch of the primary key, which begins with the time. */
export async function readPaymentsIn(db: Db, range: ReferenceRange, limit: number): Promise<FoundPayment[]> {
  return db<FoundPayment[]>`
    select merchant_id, livemode, id as payment_id, status, amount_collected, operator, msisdn, merchant_reference,
           checkout_session_id, created_at
      from payments
     where id >= ${range.from} and id < ${range.before} and right(id, ${range.end.length}) = ${range.end}
     order by id
     limit ${limit}`
}

/** What has become of a payment; null when there is none. */
export async function readPaymentStatus(db: Db, key: Tenant & { payment_id: string }): Promise<PaymentStatus | null> {
  const [row] = await db<{ status: PaymentStatus }[]>`
    select status
      from payments
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.payment_id}`
  return row?.status ?? null
}

/** The session that a payment was an attempt of; null without one. */
export async function readSessionOf(db: Db, key: Tenant & { subject_id: string }): Promise<string | null> {
  const [row] = await db<{ checkout_session_id: string | null }[]>`
    select checkout_session_id
      from payments
     where merchant_id = ${key.merchant_id} and livemode = ${key.livemode} and id = ${key.subject_id}`
  return row?.checkout_session_id ?? null
}
