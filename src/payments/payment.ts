import Type, { type Static } from 'typebox'
import type { NextAction } from '../operators/port.ts'
import { isoText } from '../platform/clock.ts'
import type { Tenant } from '../values/caller.ts'
import { type FailureCode, failureMessages, missingPayerMessages } from '../values/failure-codes.ts'
import { currency, livemode, objectField, textOrNull, time, timeOrNull } from '../values/fields.ts'

export const paymentStatuses = [
  'created',
  'pending',
  'succeeded',
  'failed',
  'expired',
  'refunded',
  'partially_refunded',
] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

/** A payment as the interface shows it. Amounts in francs, times in UTC. */
export const Payment = Type.Object(
  {
    id: Type.String({ description: 'Prefix `txn_`.' }),
    object: objectField('payment'),
    amount: Type.Integer({ description: 'The amount that you asked for, in francs.' }),
    amount_collected: Type.Integer({
      description: 'The amount that the payer pays, in francs: with `fee_amount` when the payer bears it.',
    }),
    fee_amount: Type.Integer({ description: 'Commission in francs, fixed at creation.' }),
    net_amount: Type.Integer({ description: 'The amount that you receive, in francs, credited at confirmation.' }),
    currency,
    status: Type.Enum([...paymentStatuses], {
      description:
        'Only `succeeded` means that the money has arrived. A payment with an uncertain outcome stays `pending`; it never fails because time passed.',
    }),
    operator: textOrNull('The mobile-money operator that collects, such as `orange_ci`. Null until one is chosen.'),
    merchant_reference: textOrNull('Your own reference, as you sent it; null without one.'),
    failure_code: textOrNull('Why the payment failed, from a closed list. Null unless `status` is `failed`.'),
    failure_message: textOrNull(
      'The failure as a sentence for people; null without one. Its words may change: have your code read `failure_code`.',
    ),
    livemode,
    created_at: time('When the request was accepted.'),
    succeeded_at: timeOrNull('When the operator confirmed the payment; null before.'),
    failed_at: timeOrNull('When the service established that the payment failed; null unless it did.'),
    checkout_session_id: Type.Optional(
      Type.String({
        description:
          'The checkout session, with prefix `cs_`, when the payment was made on the hosted page. Otherwise absent.',
      }),
    ),
    amount_refunded: Type.Optional(
      Type.Integer({ description: 'How much of `amount` was refunded, in francs. Absent while nothing was.' }),
    ),
    next_action: Type.Optional(
      Type.Object(
        {
          type: Type.Union([Type.Literal('approve_on_phone'), Type.Literal('redirect'), Type.Literal('enter_code')], {
            description:
              '`approve_on_phone`: the payer answers a prompt or dials `dial_code`. `redirect`: the payer opens `url`. `enter_code`: the payer types a one-time code.',
          }),
          url: Type.Optional(Type.String({ description: 'The page to open. Only for `redirect`.' })),
          dial_code: Type.Optional(
            Type.String({
              description: 'The code that the payer dials. Absent where the operator has none.',
            }),
          ),
          prompted: Type.Optional(
            Type.Literal(true, {
              description: 'A prompt is on the phone; `dial_code` brings it back when it went away.',
            }),
          ),
          message: Type.String({ description: 'A sentence to show to the payer.' }),
        },
        { description: "The payer's next step. Absent when there is none." },
      ),
    ),
  },
  { $id: 'Payment', description: 'A payment that you collect.' },
)
export type Payment = Static<typeof Payment>

/** A row of `payments`, with the columns that the API answer needs. */
export type PaymentRow = Tenant & {
  id: string
  amount: number
  amount_collected: number
  fee_amount: number
  net_amount: number
  /** Francs of `amount` refunded. Absent on a payment that was just created. */
  amount_refunded?: number
  currency: 'XOF'
  status: PaymentStatus
  operator: string | null
  /** The payer's number. No answer contains it. */
  msisdn: string | null
  merchant_reference: string | null
  checkout_session_id: string | null
  failure_code: FailureCode | null
  created_at: Date
  succeeded_at: Date | null
  failed_at: Date | null
  next_action?: NextAction | null
}

/** The payment as API answers and events show it, with the fields in the order of the interface's table. */
export function viewPayment(row: PaymentRow): Payment {
  const view: Payment = {
    id: row.id,
    object: 'payment',
    amount: row.amount,
    amount_collected: row.amount_collected,
    fee_amount: row.fee_amount,
    net_amount: row.net_amount,
    currency: row.currency,
    status: row.status,
    operator: row.operator,
    merchant_reference: row.merchant_reference,
    failure_code: row.failure_code,
    failure_message: failureMessageOf(row),
    livemode: row.livemode,
    created_at: isoText(row.created_at),
    succeeded_at: row.succeeded_at && isoText(row.succeeded_at),
    failed_at: row.failed_at && isoText(row.failed_at),
  }
  if (row.checkout_session_id !== null) view.checkout_session_id = row.checkout_session_id
  if (row.amount_refunded) view.amount_refunded = row.amount_refunded
  if (row.status === 'pending' && row.next_action) view.next_action = row.next_action
  return view
}

/** The failure as a sentence. For a payment without a payer, the sentence says what was missing. */
function failureMessageOf({ failure_code, operator, msisdn }: PaymentRow): string | null {
  if (failure_code === null) return null
  if (failure_code !== 'operator_configuration' || msisdn !== null) return failureMessages[failure_code]
  return operator === null ? missingPayerMessages.nobody : missingPayerMessages.number
}
