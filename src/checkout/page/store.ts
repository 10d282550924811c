import type { NextAction } from '../../operators/port.ts'
import type { PaymentStatus } from '../../payments/payment.ts'
import type { Db } from '../../platform/postgres/database.ts'
import type { Tenant } from '../../values/caller.ts'
import type { FailureCode } from '../../values/failure-codes.ts'

/** An attempt with the facts of its instruction that the payer may see. Only the last digits of the number leave the database. */
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

/** Seconds for the operator's part of an attempt. After that the attempt takes too long. */
const LONG_SECONDS = 180
/** Seconds for an attempt in which the payer still has to dial or type a code, or to open an app. */
const PAYERS_SECONDS = 900

/**
 * The attempt behind a session's page. Null when it does not exist. An attempt is in doubt in these cases:
 * - In progress: we do not know whether the operator has it, it has an open anomaly, or it takes too long.
 * - Failed or lapsed: the operator reported money for it all the same. The doubt ends when people close the anomaly,
 *   except when they credited the money to the merchant.
 */
export async function readAttempt(db: Db, key: Tenant & { payment_id: string }): Promise<AttemptRow | null> {
  const [row] = await db<AttemptRow[]>`
    select p.id as payment_id, p.status, p.operator, p.msisdn_end, p.amount, p.amount_collected,
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
               or exists (select from reported_anomalies a
                           where a.merchant_id = p.merchant_id and a.livemode = p.livemode and a.subject_id = p.id
                             and a.closed_at is null)
             when p.status in ('failed', 'expired') then
               exists (select from reported_anomalies a
                        where a.merchant_id = p.merchant_id and a.livemode = p.livemode and a.subject_id = p.id
                          and a.kind in ('proof_after_refusal', 'amount_differs', 'currency_differs')
                          and (a.closed_at is null
                               or exists (select from credited_anomalies d
                                           where d.merchant_id = a.merchant_id and d.livemode = a.livemode
                                             and d.anomaly_id = a.id)))
             else false
           end as in_doubt,
           p.created_at, p.succeeded_at,
           case
             when p.status in ('failed', 'expired') then
               coalesce(p.failed_at, i.concluded_at, p.transitioned_at)
           end as ended_at
      from shown_payments p
      left join instruction_progress i
        on (i.merchant_id, i.livemode, i.subject_id) = (p.merchant_id, p.livemode, p.id)
      left join submitted_codes c
        on (c.merchant_id, c.livemode, c.subject_id) = (p.merchant_id, p.livemode, p.id)
     where p.merchant_id = ${key.merchant_id} and p.livemode = ${key.livemode} and p.id = ${key.payment_id}`
  return row ?? null
}
