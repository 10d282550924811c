import type { Db } from '../platform/postgres/database.ts'
import { readTransitions, type TransitionRead } from '../platform/postgres/record-transitions.ts'
import type { Tenant } from '../values/caller.ts'
import { type Page, type PageWanted, pageOf } from '../values/page.ts'
import type { SessionRow } from './session.ts'
import { type ListedSession, readSessionsPage, type SessionFilters } from './session-list-store.ts'
import { readSession } from './store.ts'

/** Lists a page of a merchant's sessions that filters match, newest first. */
export async function findSessionsOf(
  db: Db,
  tenant: Tenant,
  filters: SessionFilters,
  { limit, after }: PageWanted,
): Promise<Page<ListedSession>> {
  return pageOf(await readSessionsPage(db, tenant, filters, { limit: limit + 1, after }), limit, ({ id }) => id)
}

/** Reads one session of a merchant with its transitions, oldest first. Null when it is not this caller's. */
export async function showOwnSession(
  db: Db,
  tenant: Tenant,
  session_id: string,
): Promise<{ session: SessionRow; moves: TransitionRead[] } | null> {
  const [row, moves] = await Promise.all([
    readSession(db, { ...tenant, session_id }),
    readTransitions(db, 'checkout_session_transitions_log', 'session_id', { ...tenant, id: session_id }),
  ])
  if (row === null) return null
  const { is_over: _, ...session } = row
  return { session, moves }
}
