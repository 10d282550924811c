import type { EndReason, SessionDoor } from './session.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The longest time without a request, and the longest time in all, for sessions of a merchant's team. */
const ofMerchants = { idle_ms: 30 * MINUTE_MS, age_ms: 12 * HOUR_MS }
/** The same for a person with a role in the staff, and for every command line. */
const ofStaff = { idle_ms: 15 * MINUTE_MS, age_ms: 8 * HOUR_MS }

/** Milliseconds after the last recorded request until the next one is recorded: one write a minute, however many pages the person opens. */
const NOTED_AFTER_MS = MINUTE_MS

export type SessionTimes = {
  readonly door: SessionDoor
  readonly created_at: Date
  /** The time of the last recorded request. */
  readonly seen_at: Date
  /** Whether its person has an effective role in the staff. */
  readonly staff: boolean
}

export type SessionStanding =
  | { kind: 'over'; reason: Extract<EndReason, 'idle' | 'too_old'> }
  /** `ends_at`: the end of the session if no request follows. `note`: this request is to be recorded. */
  | { kind: 'open'; ends_at: Date; note: boolean }

/** Decides whether a session is open at a moment (milliseconds since 1970). Pure. */
export function standingOf({ door, created_at, seen_at, staff }: SessionTimes, now: number): SessionStanding {
  const { idle_ms, age_ms } = staff || door === 'command_line' ? ofStaff : ofMerchants
  const oldAt = created_at.getTime() + age_ms
  if (now >= oldAt) return { kind: 'over', reason: 'too_old' }
  if (now >= seen_at.getTime() + idle_ms) return { kind: 'over', reason: 'idle' }
  const note = now >= seen_at.getTime() + NOTED_AFTER_MS
  // Only a recorded request extends the session.
  const from = note ? now : seen_at.getTime()
  return { kind: 'open', ends_at: new Date(Math.min(from + idle_ms, oldAt)), note }
}
