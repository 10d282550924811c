import Type, { type Static } from 'typebox'
import type { Tenant } from '../values/caller.ts'
import type { FailureCode } from '../values/failure-codes.ts'
import { currency, livemode, objectField, textOrNull, time } from '../values/fields.ts'
import { Msisdn } from '../values/msisdn.ts'

/** In the order of the interface; moves between them stand in `states.ts`. */
export const payoutStatuses = ['created', 'processing', 'succeeded', 'failed', 'indeterminate'] as const
export type PayoutStatus = (typeof payoutStatuses)[number]

/** Where money goes, as answers show it: in full what the caller wrote itself, masked what the book holds. */
export const PayoutBeneficiary = Type.Object(
  {
    name: textOrNull('The holder, as written in the request or in the book.'),
    label: textOrNull('Your own words for an entry of the book.'),
    msisdn: textOrNull('The number: in full when the request named it, masked when the book did.'),
  },
  { description: 'Where the money goes.' },
)

/** A payout as the interface shows it. Amounts in francs. */
export const Payout = Type.Object(
  {
    id: Type.String({ description: 'Prefix `txn_`.' }),
    object: objectField('payout'),
    amount: Type.Integer({ description: 'The amount that the beneficiary receives.' }),
    fee_amount: Type.Integer({ description: 'Commission, fixed at creation.' }),
    total_debited: Type.Integer({ description: '`amount + fee_amount`, taken from the transfer balance.' }),
    currency,
    status: Type.Enum([...payoutStatuses], {
      description:
        '`indeterminate`: the operator has not confirmed. The service asks until it knows; never send it again yourself.',
    }),
    beneficiary: PayoutBeneficiary,
    reference: textOrNull('Your own reference, as you sent it.'),
    failure_code: textOrNull('Why it failed, from a closed list. Null unless `status` is `failed`.'),
    livemode,
    created_at: time('When the request was accepted.'),
  },
  { $id: 'Payout' },
)
export type Payout = Static<typeof Payout>

/** A destination as it was when money was sent to it: a later change of the book does not touch it. */
export type Destination = {
  beneficiary_id: string
  is_inline: boolean
  name: string | null
  label: string | null
  msisdn: string
  operator: string | null
}

/** The row of a payout, in the columns that its wire view and its ledger entries need. */
export type PayoutRow = Tenant &
  Destination & {
    id: string
    amount: number
    fee_amount: number
    total_debited: number
    currency: 'XOF'
    status: PayoutStatus
    reference: string | null
    batch_id: string | null
    rank: number | null
    failure_code: FailureCode | null
    created_at: Date
  }

/** The payout as every answer and every event shows it; fields in the order of the interface's table. */
export function viewPayout(row: PayoutRow): Payout {
  return {
    id: row.id,
    object: 'payout',
    amount: row.amount,
    fee_amount: row.fee_amount,
    total_debited: row.total_debited,
    currency: row.currency,
    status: row.status,
    beneficiary: viewDestination(row),
    reference: row.reference,
    failure_code: row.failure_code,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
  }
}

/** A destination as answers show it: its number in full only to who wrote it in the request. */
export function viewDestination({
  name,
  label,
  msisdn,
  is_inline,
}: Omit<Destination, 'beneficiary_id' | 'operator'>): Static<typeof PayoutBeneficiary> {
  return { name, label, msisdn: is_inline ? msisdn : Msisdn.stored(msisdn).masked }
}
