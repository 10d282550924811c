import { defineAct, isWithin, refuse, row } from '../acts/act.ts'
import { tenantOf } from '../values/caller.ts'
import * as linkStore from './link-store.ts'
import { transitionLink } from './move-link.ts'
import { transitionSession } from './move-session.ts'
import * as store from './store.ts'

/** The most open sessions that are closed with their link. Any other session is refused when somebody tries to pay it. */
const SESSIONS_MAX = 1_000

/**
 * Closes a link and the sessions that payers opened from it. A session with an attempt in progress stays open until the attempt ends,
 * because the payer's money may be moving; it takes no other attempt.
 */
export const closeLink = defineAct({
  name: 'link.close',
  summary: 'Close a link and the pages that payers opened from it; an attempt in progress continues to its end',
  title: ['Fermer ce lien ?', 'Close this link?'],
  right: 'links.manage',
  fresh: false,
  on: row('lnk', 'payment link'),
  fields: {},
  async load(tx, { id, within }) {
    const key = await linkStore.findLink(tx, id)
    if (key === null || !isWithin(key, within)) return null
    // Lock sessions before their link, as everywhere. In the other order this transaction and an attempt could wait for each other.
    const sessions = await store.lockOpenSessionsOf(tx, key, SESSIONS_MAX)
    const [link] = await linkStore.lockLinks(tx, [key])
    return { about: tenantOf(key), sessions, link: link! }
  },
  facts: {},
  content: () => ({}),
  decide({ id }, { sessions, link }, now) {
    const moved = transitionLink(link, { trigger: 'closed_by_merchant' }, now)
    if (moved === null) return refuse('already_ended')
    const closed = sessions.flatMap(
      (session) => transitionSession(session, { trigger: 'closed_by_merchant' }, now) ?? [],
    )
    const sessions_closed = closed.length
    return {
      kind: 'accepted',
      effects: [...moved.effects, ...closed.flatMap(({ effects }) => effects)],
      result: { link_id: id, sessions_closed },
      before: { status: link.status },
      after: { status: moved.row.status, sessions_closed },
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
