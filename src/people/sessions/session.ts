import type { Language } from '../../values/language.ts'
import type { MerchantRole, StaffRole } from '../rights.ts'

export type Person = { person_id: string; email: string; name: string; language: Language }

/** Roles at one merchant, in both modes. Only effective ones: the person is active, and a second person confirmed what must be confirmed. */
export type Membership = { merchant_id: number; merchant_name: string; roles: readonly MerchantRole[] }

/** The factor that opened a session: of a password with a code of the phone, the code. */
export type SessionFactor = 'passkey' | 'totp' | 'recovery_code' | 'invitation'

/** Where a session opens something: in a browser, or for commands on one machine. */
export type SessionDoor = 'console' | 'command_line'

/** An open session, with everything that decides what its person may do, as the database has it now. */
export type Session = {
  session_id: string
  person: Person
  factor: SessionFactor
  created_at: Date
  /** When it ends if nothing more is asked with it. */
  ends_at: Date
  memberships: readonly Membership[]
  staff_roles: readonly StaffRole[]
  /** Whether a team has offered the person roles, which they accept or decline. */
  has_offers: boolean
}

/** Why a session ended. */
export type EndReason =
  | 'signed_out'
  | 'ended_elsewhere'
  | 'signed_in_again'
  | 'idle'
  | 'too_old'
  | 'person_disabled'
  | 'rights_changed'
  | 'factors_changed'
