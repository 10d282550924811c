import type { SessionDeps } from './read-session.ts'
import { standingOf } from './session-limits.ts'
import * as store from './store.ts'

/** The most sessions listed; the oldest are left out. */
const LISTED_MAX = 100

export type ListedSession = Omit<store.ListedSession, 'staff'>

/** Lists the open sessions of a person, newest first, so that they can find one that is not theirs. */
export async function listSessions({ sql, clock }: SessionDeps, person_id: string): Promise<ListedSession[]> {
  const now = clock.milliseconds()
  const sessions = await store.listSessions(sql, person_id, LISTED_MAX)
  return sessions.filter((session) => standingOf(session, now).kind === 'open').map(({ staff, ...listed }) => listed)
}
