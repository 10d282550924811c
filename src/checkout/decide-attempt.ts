import { type LinkRow, linkSituation } from './link.ts'
import { ATTEMPTS_MAX, type SessionRow } from './session.ts'

/** The fields of a session that decide whether it takes an attempt. */
export type SessionState = Pick<SessionRow, 'status' | 'attempts' | 'attempt_live'> & { is_over: boolean }

export type NoAttempt =
  | 'session_expired'
  | 'session_closed'
  | 'lien_indisponible'
  /** An attempt is in progress. It has to end first. */
  | 'idempotency_in_progress'
  | 'too_many_attempts'

/**
 * Decides whether a session accepts an attempt now. Null when it does, otherwise the refusal. Pure. At most one attempt
 * is in progress on a session, and on all the sessions of a link that is paid once. So only a late proof can make a second
 * success.
 * @param link the session's link; null when it has none
 */
export function mayAttempt(session: SessionState, link: LinkRow | null): NoAttempt | null {
  if (session.status === 'paid' || session.status === 'closed') return 'session_closed'
  if (session.attempt_live) return 'idempotency_in_progress'
  if (session.status === 'expired' || session.is_over) return 'session_expired'
  // A session never outlives its link, so an expired link needs no check of its own.
  if (link !== null && !['open', 'expired'].includes(linkSituation(link))) return 'lien_indisponible'
  return session.attempts < ATTEMPTS_MAX ? null : 'too_many_attempts'
}

/** The end of one payment of a session. */
export type Ended = { payment_id: string; succeeded: boolean }

export type SessionEffect = {
  /** This payment pays the session. */
  paid_by: string | null
  /** The attempt in progress ended without success. Another can follow. */
  freed: boolean
  /** A second success. People have to give this payment back. */
  second_success: boolean
}

/**
 * The effect of a payment's end on its session. Pure. The first success pays the session in any state. Any other success
 * is kept for people to decide.
 */
export function effectOf(
  session: Pick<SessionRow, 'status' | 'payment_id' | 'attempt_live'>,
  ended: Ended,
): SessionEffect {
  const current = session.attempt_live && session.payment_id === ended.payment_id
  if (!ended.succeeded) return { paid_by: null, freed: current, second_success: false }
  if (session.status !== 'paid') return { paid_by: ended.payment_id, freed: current, second_success: false }
  return { paid_by: null, freed: false, second_success: session.payment_id !== ended.payment_id }
}
