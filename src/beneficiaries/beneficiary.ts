import Type, { type Static } from 'typebox'
import type { Tenant } from '../values/caller.ts'
import { livemode, objectField, textOrNull, time, timeOrNull } from '../values/fields.ts'

export type BeneficiaryKind = 'payout' | 'settlement'

/** An entry of the book as the interface shows it: of the number or the IBAN only the end. */
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
  { $id: 'Beneficiary' },
)
export type Beneficiary = Static<typeof Beneficiary>

/** The row of an entry, in the columns that its wire view needs: what the whole number is, is not among them. */
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

/** Names one entry. */
export type BeneficiaryKey = Tenant & { id: string }

/** The entry as every answer shows it. */
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

/**
 * A text as the id of an entry, in the form in which the database writes it; null when it is no UUID. Ask before any
 * statement: the database would call such a text a fault.
 */
export function beneficiaryIdIn(text: string): string | null {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : null
}

/**
 * A holder's name as it is kept: without the spaces around it and canonically composed (NFC), 2 to 200 characters, or fewer at
 * least where the interface says so; null when it is not that.
 */
export function holderNameIn(text: string, least = 2): string | null {
  const name = text.trim().normalize('NFC')
  const characters = [...name].length
  return characters >= least && characters <= 200 ? name : null
}
