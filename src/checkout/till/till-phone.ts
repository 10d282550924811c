import type { Tenant } from '../../values/caller.ts'

/** A telephone of a till, paired or invited. */
export type TillPhone = Tenant & {
  id: string
  link_id: string
  name: string
  invited_by: string
  created_at: Date
  expires_at: Date
  paired_at: Date | null
  /** To the hour. */
  seen_at: Date | null
  ended_at: Date | null
  /** Whether its invitation can pair a telephone, or the telephone can read, by the database's clock. */
  is_live: boolean
}

/** Hours in which an invitation pairs a telephone. */
export const INVITATION_HOURS = 72
/** Days without a use after which a telephone must be paired again. */
export const IDLE_DAYS = 90
/** The most telephones of one till, invitations included. */
export const PHONES_MAX = 16

/** The payments that a telephone sees, in hours back from now: a day, so that one just before midnight is found after it. */
export const SEEN_HOURS = 24

/** Hours in which a link that a till sends can be paid. */
export const SENT_HOURS = 72

/** The states of a telephone on its owner's page. */
export type PhoneState = 'invited' | 'paired' | 'lapsed'

export function phoneState({ paired_at, is_live }: TillPhone): PhoneState {
  if (!is_live) return 'lapsed'
  return paired_at === null ? 'invited' : 'paired'
}
