import type { Attempt } from '../payments/create-payment.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { keyOf, mayAttempt } from './decide-attempt.ts'
import type { LinkRow } from './link.ts'
import * as linkStore from './link-store.ts'
import type { SessionRow } from './session.ts'
import * as store from './store.ts'

type LockedSession = SessionRow & { is_over: boolean }

/**
 * Has sessions take payments as their attempts, in the transaction that creates the payments, and returns the ids of those
 * taken. Sessions are locked and decided on one after the other, so that of two submits at once, in whatever tabs and
 * processes, one is taken; and the turn on a link that is paid once goes to one payer.
 */
export async function takeAttempts(tx: Tx, attempts: readonly Attempt[]): Promise<Set<string>> {
  const sessions = new Map((await store.lockSessions(tx, attempts)).map((row) => [keyOf(row, row.id), row]))
  const links = await lockLinksOf(tx, sessions.values())
  const taken = new Set<string>()
  const linksChanged = new Map<string, LinkRow>()
  for (const attempt of attempts) {
    const key = keyOf(attempt, attempt.session_id)
    const session = sessions.get(key)
    const link = session === undefined || session.link_id === null ? null : links.get(keyOf(session, session.link_id))!
    if (session === undefined || mayAttempt(session, link) !== null) continue
    taken.add(attempt.payment_id)
    const { payment_id } = attempt
    sessions.set(key, { ...session, payment_id, attempts: session.attempts + 1, attempt_live: true })
    if (link !== null && !link.reusable) {
      const turned = { ...link, taken_by: session.id }
      links.set(keyOf(link, link.id), turned)
      linksChanged.set(keyOf(link, link.id), turned)
    }
  }
  const changed = [...sessions.values()].filter(({ payment_id }) => payment_id !== null && taken.has(payment_id))
  if (changed.length > 0) await store.updateAttempts(tx, changed.map(updateOf))
  if (linksChanged.size > 0) await linkStore.updateLinks(tx, [...linksChanged.values()].map(linkUpdateOf))
  return taken
}

/** The links that these sessions came from, locked after them. */
export async function lockLinksOf(tx: Tx, sessions: Iterable<SessionRow>): Promise<Map<string, LinkRow>> {
  const keys = [...sessions].flatMap(({ merchant_id, livemode, link_id }) =>
    link_id === null ? [] : [{ merchant_id, livemode, link_id }],
  )
  if (keys.length === 0) return new Map()
  return new Map((await linkStore.lockLinks(tx, keys)).map((link) => [keyOf(link, link.id), link]))
}

export function updateOf(session: LockedSession): store.AttemptUpdate {
  const { merchant_id, livemode, id: session_id, attempts, attempt_live } = session
  return { merchant_id, livemode, session_id, payment_id: session.payment_id!, attempts, attempt_live }
}

export function linkUpdateOf({ merchant_id, livemode, id, status, taken_by }: LinkRow): linkStore.LinkUpdate {
  return { merchant_id, livemode, link_id: id, status, taken_by }
}
