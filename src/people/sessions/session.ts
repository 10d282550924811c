import type { Language } from '../../values/language.ts'
import type { MerchantRole, StaffRole } from '../../values/rights.ts'

export type Person = { person_id: string; email: string; name: string; language: Language }

/**
 * Roles in effect at one merchant, in both modes. A role is in effect while its person is active and, if it needs a confirmation, once a
 * second person has confirmed it.
 */
export type Membership = { merchant_id: number; merchant_name: string; roles: readonly MerchantRole[] }

/** The factor that opened a session. After a password it is the second factor. */
export type SessionFactor = 'passkey' | 'totp' | 'recovery_code' | 'invitation'

/** The door at which a session is valid: the browser, or the commands on one machine. */
export type SessionDoor = 'console' | 'command_line'

/** An open session, with the data that decide the person's rights, as the database has them now. */
export type Session = {
  session_id: string
  person: Person
  factor: SessionFactor
  created_at: Date
  /** The end of the session if no request follows. */
  ends_at: Date
  memberships: readonly Membership[]
  staff_roles: readonly StaffRole[]
  /** Whether a team has offered the person roles, which they accept or decline. */
  has_offers: boolean
}

/** The reason for the end of a session. */
export type EndReason =
  | 'signed_out'
  | 'ended_elsewhere'
  | 'signed_in_again'
  | 'idle'
  | 'too_old'
  | 'person_disabled'
  | 'rights_changed'
  | 'factors_changed'
