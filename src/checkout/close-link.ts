import { defineAct, isWithin, refuse, row } from '../acts/act.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { tenantOf } from '../values/caller.ts'
import type { LinkRow } from './link.ts'
import type { LinkKey } from './link-store.ts'
import * as linkStore from './link-store.ts'
import { transitionLink } from './move-link.ts'
import { transitionSession } from './move-session.ts'
import * as store from './store.ts'

/** The most open sessions that are closed with their link. Any other session is refused when somebody tries to pay it. */
const SESSIONS_MAX = 1_000

/** Locks a link and the open sessions that payers opened from it. */
export async function lockForClosing(
  tx: Tx,
  key: LinkKey,
): Promise<{ sessions: store.LockedSession[]; link: LinkRow | undefined }> {
  // Lock sessions before their link, as everywhere. In the other order this transaction and an attempt could wait for each other.
  const sessions = await store.lockOpenSessionsOf(tx, key, SESSIONS_MAX)
  const [link] = await linkStore.lockLinks(tx, [key])
  return { sessions, link }
}

/** Closes a locked link with its locked sessions. Null: it is paid or closed already. */
export function endLink({ sessions, link }: { sessions: readonly store.LockedSession[]; link: LinkRow }, now: Date) {
  const moved = transitionLink(link, { trigger: 'closed_by_merchant' }, now)
  if (moved === null) return null
  const closed = sessions.flatMap((session) => transitionSession(session, { trigger: 'closed_by_merchant' }, now) ?? [])
  const effects = [...moved.effects, ...closed.flatMap((session) => session.effects)]
  return { row: moved.row, effects, sessions_closed: closed.length }
}

/**
 * Closes a link and the sessions that payers opened from it. A session with an attempt in progress stays open until the attempt ends,
 * because the payer's money may be moving; it takes no other attempt.
 */
export const closeLink = defineAct({
  name: 'link.close',
  summary: 'Close a link and the pages that payers opened from it; an attempt in progress continues to its end',
  title: ['Fermer ce lien ?', 'Close this link?'],
  right: 'links.close',
  fresh: false,
  on: row('lnk', 'payment link'),
  fields: {},
  async load(tx, { id, within }) {
    const key = await linkStore.findLink(tx, id)
    if (key === null || !isWithin(key, within)) return null
    const { sessions, link } = await lockForClosing(tx, key)
    return { about: tenantOf(key), sessions, link: link! }
  },
  facts: {},
  content: () => ({}),
  decide({ id }, { sessions, link }, now) {
    const ended = endLink({ sessions, link }, now)
    if (ended === null) return refuse('already_ended')
    const { row, effects, sessions_closed } = ended
    return {
      kind: 'accepted',
      effects,
      result: { link_id: id, sessions_closed },
      before: { status: link.status },
      after: { status: row.status, sessions_closed },
    }
  },
  unknown: 'There is no link {id}.',
  refusals: {
    already_ended: {
      words: ['Ce lien est déjà payé ou fermé.', 'This link is paid or closed already.'],
      command: '{id} is already paid or closed.',
    },
  },
})
