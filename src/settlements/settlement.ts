import Type, { type Static } from 'typebox'
import { type Tenant, tenantOf } from '../values/caller.ts'
import { currency, livemode, objectField, textOrNull, time, timeOrNull } from '../values/fields.ts'

/** The states of a settlement, in the order of its life. `states.ts` has the transitions. */
export const settlementStatuses = ['pending_validation', 'validated', 'paid', 'rejected'] as const
export type SettlementStatus = (typeof settlementStatuses)[number]

/** The kinds of a destination: a bank account, or a wallet at an operator. */
const accountTypes = ['bank_account', 'wallet'] as const
export type AccountType = (typeof accountTypes)[number]

/** A settlement as the interface shows it. Amounts are in francs. The destination is masked to its last four characters. */
export const Settlement = Type.Object(
  {
    id: Type.String({ description: 'Prefix `stl_`.' }),
    object: objectField('settlement'),
    amount: Type.Integer({
      description: 'In francs, taken from the available balance at the request, and paid in full.',
    }),
    currency,
    status: Type.Enum([...settlementStatuses], {
      description: 'The staff validate a request, then pay it; or reject it, and the amount comes back.',
    }),
    beneficiary: Type.Object(
      {
        id: Type.String({ format: 'uuid', description: 'The entry of the book, a UUID.' }),
        name: Type.String({ description: 'The holder.' }),
        account_type: Type.Enum([...accountTypes], { description: 'A bank account, or a wallet with an operator.' }),
        operator: Type.Union([Type.String(), Type.Null()], {
          description: 'The operator of a wallet, by its code; null for a bank account.',
        }),
        last4: Type.String({ description: 'The last four characters of the number or of the IBAN.' }),
      },
      { description: 'The destination as it was designated at the request; later changes do not touch it.' },
    ),
    bank_reference: Type.Union([Type.String(), Type.Null()], {
      description: 'The reference of the transfer; null until it is paid.',
    }),
    rejection_reason: textOrNull('Why it was rejected; null unless it was.'),
    livemode,
    created_at: time('When the request was accepted.'),
    validated_at: timeOrNull('When it was validated; null before.'),
    paid_at: timeOrNull('When the transfer was made; null before.'),
    rejected_at: timeOrNull('When it was rejected; null unless it was.'),
  },
  {
    $id: 'Settlement',
    description: 'A settlement: what the service owes you, on its way to your designated destination.',
  },
)
export type Settlement = Static<typeof Settlement>

/** A copy of the destination at the time of the request. */
export type DestinationSnapshot = {
  beneficiary_id: string
  name: string
  account_type: AccountType
  operator: string | null
  last4: string
  designated_at: Date
}

/** The dates of a transfer in the bank's file, `YYYY-MM-DD`: the booking date, and the day from which it counts for interest. Null: not given. */
export type BankDays = { readonly booking_date: string | null; readonly value_date: string | null }

export const noBankDays: BankDays = { booking_date: null, value_date: null }

/**
 * When a person last took the whole account of a settlement for its transfer, in a file for the bank or alone. From then on the transfer
 * may be ordered. Null: nobody has.
 */
export type AccountTaken = { readonly account_taken_at: Date | null; readonly account_taken_by: string | null }

/** The row of a settlement. */
export type SettlementRow = Tenant &
  DestinationSnapshot &
  BankDays & {
    id: string
    amount: number
    currency: 'XOF'
    status: SettlementStatus
    /** The maker: `key:…` for the API, or a person in the console. */
    made_by: string
    /** The people who moved it. Null while nobody has. */
    validated_by: string | null
    paid_by: string | null
    rejected_by: string | null
    bank_reference: string | null
    rejection_reason: string | null
    created_at: Date
    validated_at: Date | null
    paid_at: Date | null
    rejected_at: Date | null
  } & AccountTaken

/** The key of a settlement's destination in its merchant's book. */
export function destinationKey({
  beneficiary_id,
  ...settlement
}: Pick<SettlementRow, keyof Tenant | 'beneficiary_id'>) {
  return { ...tenantOf(settlement), id: beneficiary_id }
}

/** The key of a settlement. */
export type SettlementKey = Tenant & { settlement_id: string }

/** Returns the settlement as answers and events show it, without the staff members who decided. */
export function viewSettlement(row: SettlementRow): Settlement {
  return {
    id: row.id,
    object: 'settlement',
    amount: row.amount,
    currency: row.currency,
    status: row.status,
    beneficiary: {
      id: row.beneficiary_id,
      name: row.name,
      account_type: row.account_type,
      operator: row.operator,
      last4: row.last4,
    },
    bank_reference: row.bank_reference,
    rejection_reason: row.rejection_reason,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
    validated_at: row.validated_at?.toISOString() ?? null,
    paid_at: row.paid_at?.toISOString() ?? null,
    rejected_at: row.rejected_at?.toISOString() ?? null,
  }
}
