import Type, { type Static } from 'typebox'
import type { Tenant } from '../values/caller.ts'
import { currency, livemode, objectField, textOrNull, time, timeOrNull } from '../values/fields.ts'
import { type Destination, PayoutBeneficiary, viewDestination } from './payout.ts'

/** A request starts as `pending_approval`. The other statuses are final. */
export const requestStatuses = ['pending_approval', 'approved', 'rejected', 'expired'] as const
export type RequestStatus = (typeof requestStatuses)[number]

/** The cap that a payout exceeded: of one payout, or of the last 24 hours. */
export type CapReason = 'plafond_operation' | 'plafond_24h'

/** A payout held back by a cap, as the API shows it. No money has moved. Amounts in francs. */
export const PayoutRequest = Type.Object(
  {
    id: Type.String({ description: 'Prefix `por_`.' }),
    object: objectField('payout_request'),
    status: Type.Enum([...requestStatuses], {
      description: 'While `pending_approval` no money has moved: a person of the merchant decides.',
    }),
    reason: Type.Enum(['plafond_operation', 'plafond_24h'], {
      description: 'The cap that was exceeded: of one payout, or of 24 hours.',
    }),
    limit: Type.Integer({ description: 'The value of the cap that was exceeded, in francs.' }),
    amount: Type.Integer({ description: 'The amount that the beneficiary is to receive, in francs.' }),
    currency,
    beneficiary: PayoutBeneficiary,
    reference: textOrNull('Your own reference, as you sent it; null without one.'),
    payout_id: Type.Optional(Type.String({ description: 'Prefix `txn_`: the payout. Absent until it is approved.' })),
    livemode,
    created_at: time('When the request was accepted.'),
    decided_at: timeOrNull('When it was approved or rejected, or expired; null while it waits.'),
  },
  {
    $id: 'PayoutRequest',
    description: 'A payout that a cap holds back until a person of yours decides. No money has moved.',
  },
)
export type PayoutRequest = Static<typeof PayoutRequest>

/** A row of `payout_requests`. Its column `cap` is the field `limit` of the API: LIMIT is a reserved word in SQL. */
export type PayoutRequestRow = Tenant &
  Destination & {
    id: string
    status: RequestStatus
    reason: CapReason
    cap: number
    amount: number
    currency: 'XOF'
    reference: string | null
    /** The maker. `key:…` is an API key. */
    made_by: string
    payout_id: string | null
    created_at: Date
    decided_at: Date | null
  }

/** The request as API answers and events show it. */
export function viewPayoutRequest(row: PayoutRequestRow): PayoutRequest {
  return {
    id: row.id,
    object: 'payout_request',
    status: row.status,
    reason: row.reason,
    limit: row.cap,
    amount: row.amount,
    currency: row.currency,
    beneficiary: viewDestination(row),
    reference: row.reference,
    ...(row.payout_id === null ? {} : { payout_id: row.payout_id }),
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
    decided_at: row.decided_at?.toISOString() ?? null,
  }
}
