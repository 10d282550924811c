import type { EndReason, SessionDoor } from './session.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** How long a session lasts: without a request, and at most. */
const ofMerchants = { idle_ms: 30 * MINUTE_MS, age_ms: 12 * HOUR_MS }
/** Of a person with a role in the staff, whatever else they are, and of every command line. */
const ofStaff = { idle_ms: 15 * MINUTE_MS, age_ms: 8 * HOUR_MS }

/** A request is noted when none was for so long: one write a minute, however many pages are opened. */
const NOTED_AFTER_MS = MINUTE_MS

export type SessionTimes = {
  readonly door: SessionDoor
  readonly created_at: Date
  /** Of the last request that was noted. */
  readonly seen_at: Date
  /** Whether its person has an effective role in the staff. */
  readonly staff: boolean
}

export type SessionStanding =
  | { kind: 'over'; reason: Extract<EndReason, 'idle' | 'too_old'> }
  /** `ends_at`: when it ends if nothing follows this request. `note`: this request is to be written down. */
  | { kind: 'open'; ends_at: Date; note: boolean }

/** Where a session stands at a moment (milliseconds since 1970). */
export function standingOf({ door, created_at, seen_at, staff }: SessionTimes, now: number): SessionStanding {
  const { idle_ms, age_ms } = staff || door === 'command_line' ? ofStaff : ofMerchants
  const oldAt = created_at.getTime() + age_ms
  if (now >= oldAt) return { kind: 'over', reason: 'too_old' }
  if (now >= seen_at.getTime() + idle_ms) return { kind: 'over', reason: 'idle' }
  const note = now >= seen_at.getTime() + NOTED_AFTER_MS
  // A request that is not noted does not make the session last longer.
  const from = note ? now : seen_at.getTime()
  return { kind: 'open', ends_at: new Date(Math.min(from + idle_ms, oldAt)), note }
}
