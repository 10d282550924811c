import type { MerchantRole, StaffRole } from './rights.ts'
import type { PersonStatus } from './states.ts'

/** The merchant of roles in the staff of the service. */
export const STAFF = 0

export type PersonRow = {
  person_id: string
  /** As `normalizePerson` writes it; the person acts under it. */
  email: string
  name: string
  language: 'fr' | 'en'
  status: PersonStatus
}

/** A role of a person at a merchant, or with `STAFF` in the staff. */
export type RoleRow = {
  person_id: string
  merchant_id: number
  role: MerchantRole | StaffRole
  granted_by: string
  granted_at: Date
  /** The role counts only once a second person has confirmed it. */
  needs_confirmation: boolean
  confirmed_by: string | null
  confirmed_at: Date | null
  /** Granted by a command on the host or by the service: it needs no confirmation. */
  break_glass: boolean
  /** Granted to an invited person while a link of others was on its way, which does not open it. */
  beside_link: boolean
}

/** Whether a role gives its rights, if its person is active. */
export function counts({ needs_confirmation, confirmed_at }: Pick<RoleRow, 'needs_confirmation' | 'confirmed_at'>) {
  return !needs_confirmation || confirmed_at !== null
}

/** The name of a person as it is kept: one line of 1 to 100 characters. Null: it is none. */
export function readName(text: string): string | null {
  const name = text.trim()
  return /^[^\p{Cc}\p{Cs}]{1,100}$/u.test(name) ? name : null
}
