import Type, { type Static } from 'typebox'
import { withoutInvisible } from '../values/as-seen.ts'
import type { Tenant } from '../values/caller.ts'
import { livemode, objectField, textOrNull, time, timeOrNull } from '../values/fields.ts'

export type BeneficiaryKind = 'payout' | 'settlement'

/** An entry of the book as the interface shows it, with only the end of the number or IBAN. */
export const Beneficiary = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Names the entry in `beneficiary_id`.' }),
    object: objectField('beneficiary'),
    kind: Type.Enum(['payout', 'settlement'], { description: 'The money that may be sent there.' }),
    label: Type.Union([Type.String(), Type.Null()], { description: "The merchant's own words for it." }),
    name: Type.String({ description: 'The holder, not verified with the operator.' }),
    operator: textOrNull('The network of the number; null for a bank account.'),
    last4: Type.String({ description: 'The end of the number or of the IBAN.' }),
    active: Type.Boolean({ description: 'False: archived.' }),
    livemode,
    created_at: time('When the entry was made.'),
    archived_at: timeOrNull('When it was archived; null while it is active.'),
  },
  { $id: 'Beneficiary', description: 'An entry of your book of beneficiaries.' },
)
export type Beneficiary = Static<typeof Beneficiary>

/** The columns of an entry that answers need, without the whole number. */
export type BeneficiaryRow = Tenant & {
  id: string
  kind: BeneficiaryKind
  label: string | null
  name: string
  operator: string | null
  last4: string
  active: boolean
  created_at: Date
  archived_at: Date | null
}

/** The key of an entry. */
export type BeneficiaryKey = Tenant & { id: string }

/** Returns the entry as answers show it. */
export function viewBeneficiary(row: BeneficiaryRow): Beneficiary {
  return {
    id: row.id,
    object: 'beneficiary',
    kind: row.kind,
    label: row.label,
    name: row.name,
    operator: row.operator,
    last4: row.last4,
    active: row.active,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
    archived_at: row.archived_at?.toISOString() ?? null,
  }
}

/** The pattern of an id of an entry. */
export const ENTRY_ID = '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$'
const isUuid = new RegExp(ENTRY_ID)

/**
 * Returns a text as the id of an entry, in the database's form. Null when it is no UUID. Call this before any statement, because the
 * database throws for such a text.
 */
export function beneficiaryIdIn(text: string): string | null {
  return isUuid.test(text) ? text.toLowerCase() : null
}

/** Returns these keys with their ids in the database's form, without those whose id is no UUID. */
export function wellFormed(keys: readonly BeneficiaryKey[]): BeneficiaryKey[] {
  return keys.flatMap(({ merchant_id, livemode, id: text }) => {
    const id = beneficiaryIdIn(text)
    return id === null ? [] : [{ merchant_id, livemode, id }]
  })
}

/**
 * Returns a holder's name as it is stored: without invisible characters, which telephones and chats add, trimmed and in Unicode's form NFC. Null
 * when it has fewer than `least` or more than 200 characters.
 */
export function holderNameIn(text: string, least = 2): string | null {
  const name = withoutInvisible(text).trim().normalize('NFC')
  const characters = [...name].length
  return characters >= least && characters <= 200 ? name : null
}
