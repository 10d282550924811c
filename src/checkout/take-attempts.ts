import type { LockSessions, TakeAttempt } from '../payments/create-payment.ts'
import { defineEffect } from '../platform/commands/effects.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { rowKey } from '../values/caller.ts'
import { mayAttempt } from './decide-attempt.ts'
import type { LinkRow } from './link.ts'
import * as linkStore from './link-store.ts'
import { setHolder } from './move-link.ts'
import type { SessionRow } from './session.ts'
import * as store from './store.ts'

/** Writes the attempts of a session that the transaction has locked. */
export const setAttempt = defineEffect('checkout session', store.updateAttempts)

/**
 * Locks the sessions of new payments, in the transaction that creates the payments. Of two simultaneous submissions, from
 * any tab and in any process, one succeeds.
 */
export const lockSessions: LockSessions = async (tx, keys) => {
  const sessions = await store.lockSessions(tx, keys)
  const links = await lockLinksOf(tx, sessions)
  return createTakeAttempt(new Map(sessions.map((row) => [rowKey(row, row.id), row])), links)
}

/**
 * Lets locked sessions take attempts, one after the other. One payer at a time holds a link that is paid once. Updates
 * `sessions` and `links`.
 */
export function createTakeAttempt(
  sessions: Map<string, store.LockedSession>,
  links: Map<string, LinkRow>,
): TakeAttempt {
  return (attempt) => {
    const key = rowKey(attempt, attempt.session_id)
    const session = sessions.get(key)
    const link = session === undefined || session.link_id === null ? null : links.get(rowKey(session, session.link_id))!
    if (session === undefined || mayAttempt(session, link) !== null) return null
    const taken = { ...session, payment_id: attempt.payment_id, attempts: session.attempts + 1, attempt_live: true }
    sessions.set(key, taken)
    if (link === null || link.reusable) return [setAttempt(updateOf(taken))]
    const turned = { ...link, taken_by: session.id }
    links.set(rowKey(link, link.id), turned)
    return [setAttempt(updateOf(taken)), setHolder(turned)]
  }
}

/** The links of these sessions, locked after them. */
export async function lockLinksOf(tx: Tx, sessions: Iterable<SessionRow>): Promise<Map<string, LinkRow>> {
  const keys = [...sessions].flatMap(({ merchant_id, livemode, link_id }) =>
    link_id === null ? [] : [{ merchant_id, livemode, link_id }],
  )
  if (keys.length === 0) return new Map()
  return new Map((await linkStore.lockLinks(tx, keys)).map((link) => [rowKey(link, link.id), link]))
}

export function updateOf(session: store.LockedSession): store.AttemptUpdate {
  const { merchant_id, livemode, id: session_id, attempts, attempt_live } = session
  return { merchant_id, livemode, session_id, payment_id: session.payment_id!, attempts, attempt_live }
}
