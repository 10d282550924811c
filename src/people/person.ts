import type { MerchantRole, StaffRole } from '../values/rights.ts'
import type { PersonStatus } from './states.ts'

/** The merchant id that stands for the staff. */
export const STAFF = 0

export type PersonRow = {
  person_id: string
  /** The e-mail address, normalized by `normalizePerson`. The audit log names the person by it. */
  email: string
  name: string
  language: 'fr' | 'en'
  status: PersonStatus
}

/** The facts by which others know the holder of an account. All null: nobody has used a link yet, or before these were kept. */
export type Account = {
  /** The place whose link set the factors: a merchant, or `STAFF`. */
  opened_by: number | null
  /** A short code that the account shows to its holder. A second person compares it with them, by telephone or face to face. */
  account_code: string | null
  /** The time when the holder typed a code that was sent to the address. */
  mail_proven_at: Date | null
}

/** Whether an account says who its holder is to a place: that place opened it. Another place cannot know who used the link. */
export function isKnownTo(merchant_id: number, { opened_by }: Pick<Account, 'opened_by'>): boolean {
  return opened_by === merchant_id
}

/** A role of a person at a merchant, or with `STAFF` in the staff. */
export type RoleRow = {
  person_id: string
  merchant_id: number
  role: MerchantRole | StaffRole
  granted_by: string
  granted_at: Date
  /** Whether the role takes effect only once a second person has confirmed it. */
  needs_confirmation: boolean
  confirmed_by: string | null
  confirmed_at: Date | null
  /** Granted by a command on the host or by the service, so that it needs no confirmation. */
  break_glass: boolean
  /**
   * Granted to an account that another place opened, or to a person with another place's open link. Once the person has accepted it, a second
   * person compares their account code and confirms it.
   */
  beside_link: boolean
  /** Offered to a person with an account, who has not accepted it yet. */
  to_accept: boolean
  /** Whether the role of an active person is in effect: confirmed where it must be, and accepted. */
  in_effect: boolean
}

/** Whether a role waits for a second person. */
export function isToConfirm({
  needs_confirmation,
  confirmed_at,
}: Pick<RoleRow, 'needs_confirmation' | 'confirmed_at'>) {
  return needs_confirmation && confirmed_at === null
}

/** Normalizes the name of a person: one line of 1 to 100 characters. Null when it is not a name. */
export function readName(text: string): string | null {
  const name = text.trim()
  return /^[^\p{Cc}\p{Cs}]{1,100}$/u.test(name) ? name : null
}
