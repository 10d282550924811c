import { recordAct } from '../audit-log/record-act.ts'
import type { Clock } from '../platform/clock.ts'
import { applyEffects } from '../platform/commands/effects.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { type Actor, SYSTEM } from '../values/actor.ts'
import { findTransition } from '../values/transition.ts'
import { linkTransitions } from './link-states.ts'
import * as linkStore from './link-store.ts'
import { transitionSession } from './move-session.ts'
import * as store from './store.ts'
import { setLink } from './take-attempts.ts'

export type CloseLinkResult =
  | { kind: 'closed'; link_id: string; sessions_closed: number }
  | { kind: 'refused'; code: 'resource_not_found' | 'already_ended' }

/** The most open sessions that are closed with their link. Any other session is refused when somebody tries to pay it. */
const SESSIONS_MAX = 1_000

/**
 * Closes a link and the sessions that payers opened from it. A session with an attempt in progress stays open until the attempt ends,
 * because the payer's money may be moving; it takes no other attempt.
 * @param by the person who closes it, for the audit log
 */
export async function closeLink(
  { sql, clock }: { sql: Sql; clock: Clock },
  link_id: string,
  by: Actor = SYSTEM,
): Promise<CloseLinkResult> {
  const key = await linkStore.findLink(sql, link_id)
  if (key === null) return { kind: 'refused', code: 'resource_not_found' }
  return sql.begin(async (tx): Promise<CloseLinkResult> => {
    // Lock sessions before their link, as everywhere. In the other order this transaction and an attempt could wait for each other.
    const sessions = await store.lockOpenSessionsOf(tx, key, SESSIONS_MAX)
    const [link] = await linkStore.lockLinks(tx, [key])
    const transition = findTransition(linkTransitions, link!.status, 'closed_by_merchant')
    if (transition === null) return { kind: 'refused', code: 'already_ended' }
    const now = clock.now()
    const closed = sessions.flatMap(
      (session) => transitionSession(session, { trigger: 'closed_by_merchant' }, now) ?? [],
    )
    const effects = closed.flatMap((one) => one.effects)
    await applyEffects(tx, [setLink({ ...key, status: transition.to, taken_by: link!.taken_by }), ...effects], now)
    const before = { status: link!.status }
    const after = { status: transition.to, sessions_closed: closed.length }
    recordAct(tx, key, { actor: by, act: 'link.close', subject: link_id, before, after })
    return { kind: 'closed', link_id, sessions_closed: closed.length }
  })
}
