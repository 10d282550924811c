import type { Tenant } from '../values/caller.ts'
import { type LinkRow, linkSituation } from './link.ts'
import { ATTEMPTS_MAX, type SessionRow } from './session.ts'

/** The fields of a session that decide whether it takes an attempt. */
export type SessionState = Pick<SessionRow, 'status' | 'attempts' | 'attempt_live'> & { is_over: boolean }

export type NoAttempt =
  | 'session_expired'
  | 'session_closed'
  | 'lien_indisponible'
  /** One is under way: it ends first. */
  | 'idempotency_in_progress'
  | 'too_many_attempts'

/**
 * Whether a session takes an attempt now, or why not. Pure. At most one attempt is under way, on a session and on all the
 * sessions of a link that is paid once; that is what makes two successes impossible but by a proof that comes late.
 * @param link that the session came from; null without one
 */
export function mayAttempt(session: SessionState, link: LinkRow | null): NoAttempt | null {
  if (session.status === 'paid' || session.status === 'closed') return 'session_closed'
  if (session.attempt_live) return 'idempotency_in_progress'
  if (session.status === 'expired' || session.is_over) return 'session_expired'
  // The time of a session ends with that of its link at the latest, so an expired link says nothing more here.
  if (link !== null && !['open', 'expired'].includes(linkSituation(link))) return 'lien_indisponible'
  return session.attempts < ATTEMPTS_MAX ? null : 'too_many_attempts'
}

/** The end of one payment of a session. */
export type Ended = { payment_id: string; succeeded: boolean }

export type SessionEffect = {
  /** It is paid, by this payment. */
  paid_by: string | null
  /** The attempt under way has ended without success: another may follow. */
  freed: boolean
  /** Paid a second time: this payment is for a human to give back. */
  second_success: boolean
}

/**
 * The effect of a payment's end on the session that it was an attempt of. Pure. Money that arrived is never ignored: the
 * first success pays the session, whatever state it is in; any other is kept for a human.
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

/** One text for a key, to look rows up by. */
export function keyOf({ merchant_id, livemode }: Tenant, id: string): string {
  return `${merchant_id}/${livemode}/${id}`
}
