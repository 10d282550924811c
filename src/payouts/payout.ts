import Type, { type Static } from 'typebox'
import type { Tenant } from '../values/caller.ts'
import type { FailureCode } from '../values/failure-codes.ts'
import { currency, livemode, objectField, textOrNull, time } from '../values/fields.ts'
import { Msisdn } from '../values/msisdn.ts'

/** In the order of the interface. `states.ts` has the transitions. */
export const payoutStatuses = ['created', 'processing', 'succeeded', 'failed', 'indeterminate'] as const
export type PayoutStatus = (typeof payoutStatuses)[number]

/**
 * The destination as answers show it: a number that the caller wrote is shown in full, a number of the book is masked.
 */
export const PayoutBeneficiary = Type.Object(
  {
    name: textOrNull('The holder, as written in the request or in the book.'),
    label: textOrNull('Your own label for the entry of the book.'),
    msisdn: textOrNull('The number: in full when the request contained it, masked when it came from the book.'),
  },
  { description: 'Where the money goes.' },
)

/** A payout as the API shows it. Amounts in francs. */
export const Payout = Type.Object(
  {
    id: Type.String({ description: 'Prefix `txn_`.' }),
    object: objectField('payout'),
    amount: Type.Integer({ description: 'The amount that the beneficiary receives, in francs.' }),
    fee_amount: Type.Integer({ description: 'Commission in francs, fixed at creation.' }),
    total_debited: Type.Integer({ description: '`amount + fee_amount` in francs, taken from the transfer balance.' }),
    currency,
    status: Type.Enum([...payoutStatuses], {
      description:
        '`indeterminate`: the operator has not confirmed the payout. The service keeps asking until it knows. Never send it again yourself.',
    }),
    beneficiary: PayoutBeneficiary,
    reference: textOrNull('Your own reference, as you sent it; null without one.'),
    failure_code: textOrNull('Why the payout failed, from a closed list. Null unless `status` is `failed`.'),
    livemode,
    created_at: time('When the request was accepted.'),
  },
  { $id: 'Payout', description: 'A payout to one number.' },
)
export type Payout = Static<typeof Payout>

/** A destination at the time of the payout. A later change of the book does not alter it. */
export type Destination = {
  beneficiary_id: string
  is_inline: boolean
  name: string | null
  label: string | null
  msisdn: string
  operator: string | null
}

/** A row of `payouts`, with the columns that the API answer and the ledger entries need. */
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

/** The payout as API answers and events show it, with the fields in the order of the interface's table. */
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

/** A destination as answers show it. The number is in full only when the request contained it. */
export function viewDestination({
  name,
  label,
  msisdn,
  is_inline,
}: Omit<Destination, 'beneficiary_id' | 'operator'>): Static<typeof PayoutBeneficiary> {
  return { name, label, msisdn: is_inline ? msisdn : Msisdn.stored(msisdn).masked }
}
